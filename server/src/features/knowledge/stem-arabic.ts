const marksAndTatweel = /[\u064B-\u065F\u0670\u0640]/g
const alefs = /[\u0622\u0623\u0625\u0671]/g
const prefixes = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال']
const suffixes = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ية', 'ه', 'ة', 'ي']

/**
 * Light stemming of an Arabic word: vowel marks go, the letters that are written in several ways
 * become one, then the article and the commonest endings (Larkey, Ballesteros and Connell 2002,
 * "light10"). No root is sought: that would join what means different things.
 */
export function stemArabic(word: string): string {
  return withoutSuffixes(withoutPrefix(normalizeArabic(word)))
}

/** One spelling of alef, yeh and teh marbuta; no vowel marks, no stretching. */
function normalizeArabic(word: string): string {
  return word
    .replaceAll(marksAndTatweel, '')
    .replaceAll(alefs, '\u0627')
    .replaceAll('\u0649', '\u064A')
}

function withoutPrefix(word: string): string {
  // A lone "and" is cut only from a longer word, where it is more rarely a root letter.
  const bare =
    word.length > 4 && word.startsWith('و') && !word.startsWith('وال') ? word.slice(1) : word
  const prefix = prefixes.find((start) => bare.startsWith(start) && bare.length - start.length >= 2)
  return prefix === undefined ? bare : bare.slice(prefix.length)
}

function withoutSuffixes(word: string): string {
  let rest = word
  for (const suffix of suffixes)
    if (rest.endsWith(suffix) && rest.length - suffix.length >= 2)
      rest = rest.slice(0, -suffix.length)
  return rest
}
