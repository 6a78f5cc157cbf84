import { foldWord } from './stem-word.ts'
import { wordsOfLanguages } from './stop-words.ts'

const asciiText = /^[\0-\x7f]*$/
const words = /[\p{L}\p{M}]+/gu
const umlaut = /[äöüß]/

/** Endings of German nouns. No English word of this length has them. */
const germanNoun = /.{3}(?:ung|heit|keit|schaft)(?:en|s)?$/
const shortestNoun = 7

/** A word or two, such as the format DER in a page of code, do not make a text German. */
const minPart = 0.05

/**
 * Whether a text is German: more of its words are German than English or Romance, which share `des` and
 * `das` with German. An error costs little, because questions are searched with both stems.
 */
export function isGerman(text: string): boolean {
  const lower = (asciiText.test(text) ? text : text.normalize('NFKC')).toLowerCase()
  let [balance, count] = [0, 0]
  for (const [word] of lower.matchAll(words)) {
    count += 1
    const folded = foldWord(word)
    if (wordsOfLanguages.english.has(folded) || wordsOfLanguages.romance.has(folded)) balance -= 1
    else if (wordsOfLanguages.german.has(folded) || umlaut.test(word) || isNoun(folded))
      balance += 1
  }
  return balance > count * minPart
}

/** `samsung`, which is frequent in catalogues, only looks like a noun. */
function isNoun(word: string): boolean {
  return word !== 'samsung' && word.length >= shortestNoun && germanNoun.test(word)
}
