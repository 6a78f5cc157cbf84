import { stem } from 'porter2'
import { stemArabic } from './stem-arabic.ts'
import { stemGerman } from './stem-german.ts'

const asciiWord = /^[a-z0-9]+$/
const asciiLetters = /^[a-z]+$/
// Elsewhere a mark makes another letter, or a vowel.
const accented = /^[\p{Script=Latin}\p{Script=Greek}\p{Mn}\d]+$/u
const arabic = /\p{Script=Arabic}/u
const combiningMarks = /\p{Mn}/gu
const umlaut = /[äöüß]/
const germanEnding = /(?:ern|er|en|e|n)$/

/** Latin letters that Unicode does not decompose into a base letter and a mark. */
const undecomposed = new Map(
  Object.entries({ ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
)
const undecomposedLetter = /[ßøæœłđðþı]/g

/** `Zürich` and `Zurich` are one word to a searcher. The word is lowercase and in form NFKC. */
export function foldWord(word: string): string {
  if (asciiWord.test(word) || !accented.test(word)) return word
  return word
    .replaceAll(undecomposedLetter, (letter) => undecomposed.get(letter) ?? letter)
    .normalize('NFD')
    .replaceAll(combiningMarks, '')
}

/**
 * What the forms of one word have in common. English has its own stemmer; nothing tells the
 * language of a single word, so what else is cut is what no English word is harmed by: German
 * endings of words that carry an umlaut, and a plural `-en` of long words.
 */
export function stemWord(word: string): string {
  if (asciiLetters.test(word)) return withoutLongPlural(stem(word))
  if (arabic.test(word)) return stemArabic(word)
  const folded = foldWord(word)
  if (!asciiLetters.test(folded)) return folded
  if (!umlaut.test(word)) return withoutLongPlural(stem(folded))
  const bare = folded.replace(germanEnding, '')
  return bare.length >= 4 ? bare : folded
}

/** No folded word begins with it: what follows was stemmed as German. */
const germanMark = 'ß'

/**
 * The stem of a word of a German text, marked as such, because the same letters may be the stem of
 * something else in English. Words of other scripts, and those with digits, are stemmed as anywhere.
 */
export function stemGermanWord(word: string): string {
  const folded = foldWord(word)
  return asciiLetters.test(folded) ? germanMark + stemGerman(folded) : stemWord(word)
}

/** `Lieferzeiten` and `Lieferzeit`; in English it joins `strengthen` and `strength`. */
function withoutLongPlural(stemmed: string): string {
  return stemmed.length >= 8 && stemmed.endsWith('en') ? stemmed.slice(0, -2) : stemmed
}
