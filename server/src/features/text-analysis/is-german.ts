import { foldWord } from './stem-word.ts'
import { wordsOfLanguages } from './stop-words.ts'

const asciiText = /^[\0-\x7f]*$/
const words = /[\p{L}\p{M}]+/gu
const umlaut = /[äöüß]/

/** Endings of nouns that no English word of this length has. */
const germanNoun = /.{3}(?:ung|heit|keit|schaft)(?:en|s)?$/
const shortestNoun = 7

/** A word or two in a page of code, such as the format DER, make no German of it. */
const minPart = 0.05

/**
 * Whether a text is German: more of its words speak for that than for English, or for the Romance
 * languages, which share `des` and `das` with it. Where nothing does it is not. To be wrong costs
 * little: a question is asked in both ways.
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

/** A name that catalogues are full of ends as nouns do. */
function isNoun(word: string): boolean {
  return word !== 'samsung' && word.length >= shortestNoun && germanNoun.test(word)
}
