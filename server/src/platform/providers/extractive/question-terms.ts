import type { RelatedWords, WordWeights } from '#platform/models/question-words.ts'
import { isEverydayWord } from './everyday-words.ts'
import { isFunctionWord } from './function-words.ts'
import { bareWord, isForm, isPart } from './word-forms.ts'

export interface Term {
  readonly word: string
  /** How much the word says about what the question is about. */
  readonly weight: number
  /** The words of the passages that match it: 1 for the word itself, less for others. */
  readonly matches: ReadonlyMap<string, number>
}

export interface AskedWords {
  /** All words of the question. */
  readonly words: readonly string[]
  readonly weights: WordWeights['words']
  readonly related: RelatedWords
}

/** Terms of a question that are read, to bound the work. */
const maxTerms = 40

/**
 * An everyday word weighs this part of another that is as rare; less if no passage contains it, because
 * texts say *how long repairs take* and not *how long I will be without it*.
 */
const everydayPart = { found: 0.35, missing: 0.15 } as const

const strengths = { form: 0.85, part: 0.5 } as const

/** The least length of a word that may be part of a compound. */
const shortestPart = 5

/**
 * The terms of a question: its words without function words, which are kept only if there is nothing
 * else.
 *
 * @param passages the words of each passage
 */
export function termsOf(
  { words, weights, related }: AskedWords,
  passages: readonly (readonly string[])[],
): Term[] {
  const distinct = [...new Set(words)]
  const telling = distinct.filter((word) => !isFunctionWord(word))
  const vocabulary = new Vocabulary(passages)
  return (telling.length > 0 ? telling : distinct).slice(0, maxTerms).map((word) => {
    const matches = vocabulary.matchesOf(word, related.get(word))
    const rarity = weights.get(word) ?? rarityOf(matches, passages)
    const part = everydayPart[matches.size > 0 ? 'found' : 'missing']
    return { word, matches, weight: rarity * (isEverydayWord(word) ? part : 1) }
  })
}

/** For passages of which nothing else is known. */
function rarityOf(
  matches: ReadonlyMap<string, number>,
  passages: readonly (readonly string[])[],
): number {
  const having = passages.filter((passage) => passage.some((other) => matches.has(other))).length
  return Math.log(1 + (passages.length + 1) / (having + 1))
}

/** The distinct words of all passages, in groups that begin alike, and the long ones in those that end alike. */
class Vocabulary {
  readonly #beginning: ReadonlyMap<string, readonly string[]>
  readonly #ending: ReadonlyMap<string, readonly string[]>

  constructor(passages: readonly (readonly string[])[]) {
    const words = [...new Set(passages.flat())]
    this.#beginning = Map.groupBy(words, beginningOf)
    const long = words.filter((word) => word.length >= shortestPart)
    this.#ending = Map.groupBy(long, endOf)
  }

  matchesOf(word: string, related: ReadonlyMap<string, number> | undefined): Map<string, number> {
    const matches = new Map<string, number>()
    const add = (other: string, strength: number) =>
      matches.set(other, Math.max(strength, matches.get(other) ?? 0))
    for (const [wanted, strength] of [[word, 1] as const, ...(related ?? [])])
      for (const other of this.#beginning.get(beginningOf(wanted)) ?? [])
        if (other === wanted) add(other, strength)
        else if (!isFunctionWord(other) && isForm(wanted, other))
          add(other, strength * strengths.form)
    if (word.length < shortestPart) return matches
    const alike = [this.#beginning.get(beginningOf(word)), this.#ending.get(endOf(word))]
    for (const other of alike.flatMap((group) => group ?? []))
      if (other.length >= shortestPart && !matches.has(other) && isPart(word, other))
        add(other, strengths.part)
    return matches
  }
}

function beginningOf(word: string): string {
  return bareWord(word).slice(0, 3)
}

function endOf(word: string): string {
  return word.slice(-3)
}

/** How strongly each of the terms is in a text with these words. */
export function strengthsIn(terms: readonly Term[], words: Iterable<string>): number[] {
  const found = terms.map(() => 0)
  for (const word of words)
    for (const [at, { matches }] of terms.entries()) {
      const strength = matches.get(word)
      if (strength !== undefined && strength > (found[at] ?? 0)) found[at] = strength
    }
  return found
}

/** The share of the terms' weight that a text has, from 0 to 1. */
export function coverage(terms: readonly Term[], found: readonly number[]): number {
  let [total, covered] = [0, 0]
  for (const [at, { weight }] of terms.entries()) {
    total += weight
    covered += weight * (found[at] ?? 0)
  }
  return total === 0 ? 0 : covered / total
}
