import { listTerms, type Collection } from '#features/full-text/index.ts'
import { analyseQuestion, unmarked } from '#features/text-analysis/index.ts'
import type { Reader } from '#platform/db/database.ts'
import { plainWords } from './plain-words.ts'

/** What the mistyped words of a question mean, as a term of the agent's texts. */
export type Corrections = ReadonlyMap<string, string>

export const noCorrections: Corrections = new Map()

/** Words of a question that are looked up. */
const maxWords = 3

/** Shorter words are one letter away from too many others, longer ones are not words of a language. */
const lengths = { shortest: 5, longest: 24 } as const

/** The stem of a longer word: `ship`. */
const shortestStem = 3

/** From this length on, a letter may be another one: `point` does not mean `print`. */
const shortestReplaced = 8

/** With more chunks, the first two letters must be right: too many terms begin with the same one. */
const maxChunksOfOneLetter = 1000

/** Letters at the end of a word of which an error may hide the ending: `shippnig`. */
const endingLetters = 4

export interface Suspected {
  readonly collection: Pick<Collection, 'agent_id' | 'chunk_count'>
  readonly question: string
  /** The terms of the question that the agent's texts contain. */
  readonly known: ReadonlyMap<string, number>
  /** By the words that are right, because a list has them. */
  readonly related: ReadonlyMap<string, unknown>
}

/**
 * The terms that mistyped words mean. A word is mistyped if no text contains it, but a word with one
 * letter more or less, two letters in another order or, in a long word, another letter. The first letter
 * is right. Of several such words the commonest one is meant.
 */
export async function correctWords(reader: Reader, suspected: Suspected): Promise<Corrections> {
  const words = suspects(suspected)
  if (words.length === 0) return noCorrections
  const { agent_id: agentId, chunk_count: chunks } = suspected.collection
  const letters = chunks > maxChunksOfOneLetter ? 2 : 1
  const beginnings = words.flatMap(({ forms }) => forms.map((form) => beginningOf(form, letters)))
  const longest = Math.max(...words.map(({ word }) => word.length))
  const terms = await listTerms(reader, {
    agentId,
    beginnings: [...new Set(beginnings)],
    shortest: shortestStem,
    // Beside an additional letter, the mark of German terms.
    longest: longest + 2,
  })
  const meant = words.map(({ word, forms }) => [word, meantBy(word, forms, terms)] as const)
  return new Map(meant.filter((one): one is [string, string] => one[1] !== null))
}

interface Suspect {
  readonly word: string
  readonly forms: readonly string[]
}

function suspects({ question, known, related }: Suspected): Suspect[] {
  const found: Suspect[] = []
  for (const word of plainWords(question)) {
    if (found.length === maxWords) break
    const isWord = word.length >= lengths.shortest && word.length <= lengths.longest
    if (!isWord || !/^\p{Script=Latin}+$/u.test(word) || related.has(word)) continue
    const [{ forms } = { forms: [] }] = analyseQuestion(word)
    if (forms.length > 0 && !forms.some((form) => known.has(form))) found.push({ word, forms })
  }
  return found
}

function meantBy(
  word: string,
  forms: readonly string[],
  terms: ReadonlyMap<string, number>,
): string | null {
  const retyped = new Set(formsOfRetyped(word))
  let [best, most]: [string | null, number] = [null, 0]
  for (const [term, holders] of terms) {
    const isNear = retyped.has(term) || forms.some((form) => isMistyped(form, term, word.length))
    const isBetter = holders > most || (holders === most && best !== null && term < best)
    if (isNear && isBetter) [best, most] = [term, holders]
  }
  return best
}

/** The first letters of a term, with the mark of German ones. */
function beginningOf(form: string, letters: number): string {
  return form.slice(0, form.length - unmarked(form).length + letters)
}

/** The forms of a word whose last letters are in another order, or of which one was typed twice. */
function formsOfRetyped(word: string): string[] {
  const found: string[] = []
  for (let at = Math.max(1, word.length - endingLetters); at < word.length; at += 1) {
    const [before, letter, next = ''] = [word.slice(0, at), word[at], word[at + 1]]
    found.push(before + next + letter + word.slice(at + 2))
    if (letter === word[at - 1]) found.push(before + word.slice(at + 1))
  }
  return found.flatMap((retyped) => analyseQuestion(retyped).flatMap(({ forms }) => forms))
}

/** @param length of the word, of which a form has lost its ending */
function isMistyped(form: string, term: string, length: number): boolean {
  if (unmarked(form).length < lengths.shortest || unmarked(term).length < lengths.shortest)
    return false
  let at = 0
  while (at < form.length && form[at] === term[at]) at += 1
  // The first letter, after a mark, is right.
  if (at === 0 || at < beginningOf(form, 1).length) return false
  if (form.slice(at) === term.slice(at + 1) || form.slice(at + 1) === term.slice(at)) return true
  const isSwapped = form[at] === term[at + 1] && form[at + 1] === term[at]
  if (isSwapped && form.slice(at + 2) === term.slice(at + 2)) return true
  return length >= shortestReplaced && form.slice(at + 1) === term.slice(at + 1)
}
