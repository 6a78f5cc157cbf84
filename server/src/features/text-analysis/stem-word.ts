import { stem } from 'porter2'
import { stemArabic } from './stem-arabic.ts'
import { stemGerman } from './stem-german.ts'

const asciiWord = /^[a-z0-9]+$/
const asciiLetters = /^[a-z]+$/
// In other scripts a mark changes the letter or is a vowel.
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
 * The stem that the forms of a word share. `porter2` is Snowball's English stemmer. The language of a
 * single word is unknown, so the only other endings removed are those that hardly affect English: German
 * endings of words with an umlaut, and the plural `-en` of long words.
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

/** Marks a German stem. No folded word begins with it. */
const germanMark = 'ß'

/**
 * The marked stem of a word in a German text: without the mark, it could be the stem of another English
 * word. Words of other scripts and words with digits are stemmed as in any text.
 */
export function stemGermanWord(word: string): string {
  const folded = foldWord(word)
  return asciiLetters.test(folded) ? germanMark + stemGerman(folded) : stemWord(word)
}

/** A stem without the mark of German ones. */
export function unmarked(stem: string): string {
  return stem.startsWith(germanMark) ? stem.slice(germanMark.length) : stem
}

/** Joins `Lieferzeiten` and `Lieferzeit`, and in English `strengthen` and `strength`. */
function withoutLongPlural(stemmed: string): string {
  return stemmed.length >= 8 && stemmed.endsWith('en') ? stemmed.slice(0, -2) : stemmed
}
