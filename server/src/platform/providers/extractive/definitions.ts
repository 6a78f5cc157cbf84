import type { Statement } from './statements.ts'
import { wordsOf } from './sentences.ts'
import { isForm } from './word-forms.ts'

const articles = new Set(
  `a an the our your any ein eine einen der die das den dem unser unsere un une le la les l notre el los
    las uno una il lo gli um uma o os as een de het`.split(/\s+/),
)

/** Words that follow what a sentence defines. */
const defining = new Set(
  `is are means mean has have holds hold contains contain consists belongs describes stands ist sind
    bedeutet heisst hat haben enthalt besteht est sont signifie contient es son significa contiene e sono
    sao significa contem zijn betekent bevat`.split(/\s+/),
)

/** What asks for a definition, before what is to be defined. */
const asking =
  /^(?:so )?(?:what(?: exactly)? (?:is|are|do|does)|whats|what(?= an? )|was (?:ist|sind|bedeutet|heisst)|qu est ce qu une?|que (?:es|son|significan?)|cosa (?:e|sono|significa)|o que (?:e|sao|significa)|wat (?:is|zijn|betekent)) /

const asked = / (?:means?|exactly|genau|eigentlich)$/

/** `What are the plans?` asks for all of them. */
const askingForAll = /^(?:what are (?:the|your|our)|was sind (?:die|eure|ihre)) /

/** More words describe a subject instead of naming it. */
const mostWords = 3

/** The words of what a question asks to define: `turn` in “What is a turn?”; none if it asks otherwise. */
export function wordsToDefine(question: readonly string[]): readonly string[] {
  const text = question.join(' ')
  if (!asking.test(text) || askingForAll.test(text)) return []
  const words = text.replace(asking, '').replace(asked, '').split(' ')
  const named = articles.has(words[0] ?? '') ? words.slice(1) : words
  return named.length > mostWords ? [] : named
}

/** Letters of a word that its forms share. */
const sharedLetters = 4

/** Whether a line or a sentence of a text begins with about the words, before it is read word by word. */
export function mayDefine(text: string, [first]: readonly string[]): boolean {
  if (first === undefined) return false
  const beginning = RegExp.escape(first.slice(0, sharedLetters))
  return new RegExp(`(?:^|[\\n.!?])[^\\p{L}\\n]{0,6}(?:\\p{L}{1,3} )?${beginning}`, 'iu').test(text)
}

/** Characters of a statement that are read. */
const longestBeginning = 100

/** Whether a statement says what something is: it begins with it, and a verb or a colon follows. */
export function defines({ text }: Statement, named: readonly string[]): boolean {
  if (named.length === 0) return false
  const beginning = text.slice(0, longestBeginning)
  const words = wordsOf(beginning)
  const start = articles.has(words[0] ?? '') ? 1 : 0
  const isNamed = named.every((word, at) => isSame(word, words[start + at]))
  if (!isNamed) return false
  const end = start + named.length
  return defining.has(words[end] ?? '') || words.length === end || endsWithColon(beginning, end)
}

function isSame(word: string, other = ''): boolean {
  return word === other || isForm(word, other)
}

/** Whether a colon follows the first words: `**Turn**: one message and its answer`. */
function endsWithColon(text: string, words: number): boolean {
  const colon = text.indexOf(':')
  return colon !== -1 && wordsOf(text.slice(0, colon)).length === words
}
