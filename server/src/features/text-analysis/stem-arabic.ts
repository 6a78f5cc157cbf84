const marksAndTatweel = /[\u064B-\u065F\u0670\u0640]/g
const alefs = /[\u0622\u0623\u0625\u0671]/g
const prefixes = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال']
const suffixes = ['ها', 'ان', 'ات', 'ون', 'ين', 'ا', 'يه', 'ية', 'ه', 'ة', 'ي']
const possessives = ['ها', 'كم', 'نا', 'ك', 'ه', 'ي']

/** What these are cut from keeps so many letters: in shorter words they belong to the root. */
const minRootLetters = 3

/**
 * Light stemming of an Arabic word: vowel marks go, the letters that are written in several ways
 * become one, then the article and the commonest endings (Larkey, Ballesteros and Connell 2002,
 * "light10"). Beyond that goes whose a thing is: a text speaks of `your card`, a question of `my
 * card`. No root is sought: that would join what means different things.
 */
export function stemArabic(word: string): string {
  const rest = withoutSuffixes(withoutPossessive(withoutPrefix(normalizeArabic(word))))
  // It may be the last letter of a root, which went with the possessives where no suffix followed.
  return afterConsonant.test(rest) ? without(rest, 'ك') : rest
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

/** After a vowel these belong to the root. */
const afterConsonant = /[^اوي](?:نا|ك)$/

/** A noun that has an owner ends in an open teh, which is a teh marbuta when it stands alone. */
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
    // An indefinite object has this one.
    const least = suffix === 'ا' ? minRootLetters : 2
    if (rest.endsWith(suffix) && rest.length - suffix.length >= least)
      rest = rest.slice(0, -suffix.length)
  }
  return rest
}
