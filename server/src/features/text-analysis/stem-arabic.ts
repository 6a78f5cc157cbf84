const marksAndTatweel = /[\u064B-\u065F\u0670\u0640]/g
const alefs = /[\u0622\u0623\u0625\u0671]/g
const prefixes = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال']
const suffixes = ['ها', 'ان', 'ات', 'ون', 'ين', 'ا', 'يه', 'ية', 'ه', 'ة', 'ي']
const possessives = ['ها', 'كم', 'نا', 'ك', 'ه', 'ي']

/** The fewest letters that remain: in shorter words the endings belong to the root. */
const minRootLetters = 3

/**
 * Light stemming of an Arabic word: it removes vowel marks, unifies letters with several spellings, and
 * removes the article and the commonest endings (Larkey, Ballesteros and Connell 2002, "light10"). It
 * also removes possessive endings, because a text says `your card` where a question says `my card`. It
 * does not find roots, which would join words of different meanings. Snowball's stemmer joins fewer
 * forms, see bench/README.md.
 */
export function stemArabic(word: string): string {
  const rest = withoutSuffixes(withoutPossessive(withoutPrefix(normalizeArabic(word))))
  // May be the last letter of a root: only then does a possessive ending remain here.
  return afterConsonant.test(rest) ? without(rest, 'ك') : rest
}

/** Unifies the spellings of alef and yeh, and removes vowel marks and tatweel. */
function normalizeArabic(word: string): string {
  return word
    .replaceAll(marksAndTatweel, '')
    .replaceAll(alefs, '\u0627')
    .replaceAll('\u0649', '\u064A')
}

function withoutPrefix(word: string): string {
  // A single "and" is removed only from longer words, in which it is rarely a root letter.
  const bare =
    word.length > 4 && word.startsWith('و') && !word.startsWith('وال') ? word.slice(1) : word
  const prefix = prefixes.find((start) => bare.startsWith(start) && bare.length - start.length >= 2)
  return prefix === undefined ? bare : bare.slice(prefix.length)
}

/** After a vowel these endings belong to the root. */
const afterConsonant = /[^اوي](?:نا|ك)$/

/** Before a possessive ending, a teh marbuta is written as an open teh. */
function withoutPossessive(word: string): string {
  const ending = possessives.find((one) => without(word, one) !== word)
  if (ending === undefined) return word
  const rest = without(word, ending)
  if (rest.endsWith('\u062A'))
    return rest.endsWith('ات') || rest.length <= minRootLetters ? rest : `${rest.slice(0, -1)}ة`
  const isOwner = ending === 'ها' || ending === 'كم' || afterConsonant.test(word)
  return isOwner ? rest : word
}

function without(word: string, ending: string): string {
  const length = word.length - ending.length
  return length >= minRootLetters && word.endsWith(ending) ? word.slice(0, length) : word
}

function withoutSuffixes(word: string): string {
  let rest = word
  for (const suffix of suffixes) {
    // The ending of an indefinite object.
    const least = suffix === 'ا' ? minRootLetters : 2
    if (rest.endsWith(suffix) && rest.length - suffix.length >= least)
      rest = rest.slice(0, -suffix.length)
  }
  return rest
}
