import type { Passage } from '#platform/models/model.ts'
import { isFunctionWord } from './function-words.ts'
import { sentencesOf, wordsOf } from './sentences.ts'

export interface Extract {
  /** Index of the passage. */
  readonly passage: number
  /** Verbatim, in reading order. */
  readonly sentences: readonly string[]
}

/** Most sentences in an answer, and the length after which none is added. */
const maxSentences = 4
const enoughCharacters = 700

/** The smallest share of a question's weight that a passage must contain to answer it. */
const passageThreshold = 0.41

/**
 * The threshold under a heading that matches: "Inviting people" for a question about colleagues.
 */
const headedThreshold = 0.25

/** A sentence is added when it scores at least this share of the best one. */
const sentenceThreshold = 0.6

/** Passages that are read; retrieval returns the best first. */
const maxPassages = 8

/** Terms of a question and characters of a passage that are read, to bound the work. */
const maxTerms = 40
const maxPassageCharacters = 8000

/** A heading counts fully for the first sentence under it, and partly for later ones. */
const headingShare = { first: 1, other: 0.5 }

/**
 * Subtracted from a sentence's score for each passage that retrieval ranked above its own, because
 * retrieval knows which words are rare.
 */
const rankPenalty = 0.05

interface Candidate {
  readonly passage: number
  readonly position: number
  readonly text: string
  readonly words: readonly string[]
  readonly score: number
}

interface Term {
  readonly weight: number
  /**
   * The words of the passages that match this term: 1 for the word itself, less for another form.
   */
  readonly matches: ReadonlyMap<string, number>
}

const formStrength = 0.8

/**
 * The sentences of `passages` that answer `question`, or none when no passage is about it.
 *
 * A term weighs more the fewer passages contain it, and most when none does: a passage on another
 * subject that happens to share a common word stays under the threshold.
 */
export function extractAnswer(question: string, passages: readonly Passage[]): Extract[] {
  const looked = passages.slice(0, maxPassages).map(readPassage)
  const terms = termsOf(
    question,
    looked.map(({ allWords }) => allWords),
  )
  const candidates = looked
    .filter((passage) => isAbout(passage, terms))
    .flatMap(({ index, headingWords, sentences }) =>
      sentences.map((sentence, position) => ({
        ...sentence,
        passage: index,
        position,
        score: scoreOf(terms, sentence.words, headingWords, position) * (1 - rankPenalty * index),
      })),
    )
  return gather(choose(candidates))
}

interface ReadPassage {
  readonly index: number
  readonly sentences: readonly { readonly text: string; readonly words: readonly string[] }[]
  /** Words of the title and of all headings above the passage. */
  readonly headingWords: readonly string[]
  /** Words of the nearest heading above the passage. */
  readonly ownHeading: readonly string[]
  readonly allWords: readonly string[]
}

function readPassage({ title, heading, text }: Passage, index: number): ReadPassage {
  const sentences = sentencesOf(text.slice(0, maxPassageCharacters))
    .map((text) => ({ text, words: wordsOf(text) }))
    .filter(saysSomething)
  const headingWords = wordsOf(`${title} ${heading}`)
  const ownHeading = wordsOf(heading === '' ? title : (heading.split(' › ').at(-1) ?? ''))
  const allWords = [...headingWords, ...sentences.flatMap(({ words }) => words)]
  return { index, sentences, headingWords, ownHeading, allWords }
}

function isAbout({ allWords, ownHeading }: ReadPassage, terms: readonly Term[]): boolean {
  const covered = coverage(terms, allWords)
  if (covered >= passageThreshold) return true
  if (covered < headedThreshold) return false
  const telling = ownHeading.filter((word) => !isFunctionWord(word))
  const shared = telling.filter((word) => terms.some(({ matches }) => matches.has(word)))
  return shared.length > 0 && shared.length * 2 >= telling.length
}

/** Horizontal rules, empty table rows and fences of code blocks are not sentences. */
function saysSomething({ text, words }: { text: string; words: readonly string[] }): boolean {
  return words.length > 0 && !/^(?:```|~~~)/.test(text)
}

function termsOf(question: string, passages: readonly (readonly string[])[]): Term[] {
  const words = [...new Set(wordsOf(question))]
  const telling = words.filter((word) => !isFunctionWord(word))
  const vocabulary = new Set(passages.flat())
  return (telling.length > 0 ? telling : words).slice(0, maxTerms).map((word) => {
    const matches = matchesOf(word, vocabulary)
    const having = passages.filter((passage) => passage.some((other) => matches.has(other))).length
    return { matches, weight: Math.log(1 + (passages.length + 1) / (having + 1)) }
  })
}

function matchesOf(word: string, vocabulary: Iterable<string>): Map<string, number> {
  const matches = new Map<string, number>()
  const bare = bareWord(word)
  for (const other of vocabulary)
    if (other === word) matches.set(other, 1)
    else if (isForm(bare, bareWord(other))) matches.set(other, formStrength)
  return matches
}

/** The share of the terms' weight that `words` contain, from 0 to 1. */
function coverage(terms: readonly Term[], words: readonly string[]): number {
  let total = 0
  let found = 0
  for (const { weight, matches } of terms) {
    total += weight
    found += weight * Math.max(0, ...words.map((word) => matches.get(word) ?? 0))
  }
  return total === 0 ? 0 : found / total
}

function scoreOf(
  terms: readonly Term[],
  words: readonly string[],
  headingWords: readonly string[],
  position: number,
): number {
  const own = coverage(terms, words)
  const withHeading = coverage(terms, [...words, ...headingWords])
  const share = position === 0 ? headingShare.first : headingShare.other
  return own + share * (withHeading - own)
}

/**
 * Whether two words look like forms of one word: they differ only in a short ending. This works for
 * every language that inflects at the end, and never matches short words. `bareWord` removes
 * prefixes first.
 */
function isForm(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  if (shorter < 4 || Math.abs(one.length - other.length) > 4) return false
  let shared = 0
  while (shared < shorter && one[shared] === other[shared]) shared += 1
  // `store` and `storing` match, `units` and `united` do not.
  const isWhole = [one, other].some((word) => ['', 'e'].includes(word.slice(shared)))
  return shared >= Math.max(isWhole ? 4 : 5, shorter - 1)
}

/** The best sentences; a question or a heading that matched is replaced by the sentence after it. */
function choose(candidates: readonly Candidate[]): Candidate[] {
  const ranked = candidates.toSorted((one, other) => other.score - one.score)
  const best = ranked[0]
  if (best === undefined || best.score === 0) return []
  const chosen = new Map<string, Candidate>()
  let length = 0
  for (const candidate of ranked) {
    if (chosen.size >= maxSentences || length >= enoughCharacters) break
    if (candidate.score < best.score * sentenceThreshold) break
    const answer = announces(candidate) ? following(candidate, candidates) : candidate
    if (answer === undefined || chosen.has(answer.text)) continue
    chosen.set(answer.text, answer)
    length += answer.text.length
  }
  return [...chosen.values()]
}

/** Questions, headings and lines that end in a colon announce an answer but are none. */
function announces({ text, words }: Candidate): boolean {
  if (/[?？:：]$/.test(text) || text.startsWith('#')) return true
  return words.length <= 6 && !/[.!。！…)"”'’`|\d]$/.test(text) && /^\p{L}/u.test(text)
}

function following(
  { passage, position }: Candidate,
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.find(
    (other) => other.passage === passage && other.position > position && !announces(other),
  )
}

function gather(chosen: readonly Candidate[]): Extract[] {
  const byPassage = Map.groupBy(
    chosen.toSorted((one, other) => one.passage - other.passage || one.position - other.position),
    ({ passage }) => passage,
  )
  return [...byPassage].map(([passage, sentences]) => ({
    passage,
    sentences: sentences.map(({ text }) => text),
  }))
}

/**
 * Arabic conjunctions, prepositions and the article, written as prefixes of a word; longest first.
 */
const fronts = ['وال', 'فال', 'بال', 'كال', 'ولل', 'ال', 'لل']

/** Arabic verb prefixes of person: `يستغرق` he takes, `تستغرق` she takes. */
const persons = ['ي', 'ت']

/** The fewest letters of a word that are kept. */
const minLetters = 3

/**
 * Removes Arabic prefixes, so that the forms of a word begin alike. A word in another script is
 * returned unchanged.
 */
function bareWord(word: string): string {
  if (!/^\p{Script=Arabic}/u.test(word)) return word
  const front = fronts.find((one) => word.startsWith(one)) ?? ''
  const bare = word.length - front.length < minLetters ? word : word.slice(front.length)
  const isVerb = persons.some((letter) => bare.startsWith(letter))
  return isVerb && bare.length > minLetters + 1 && front === '' ? bare.slice(1) : bare
}
