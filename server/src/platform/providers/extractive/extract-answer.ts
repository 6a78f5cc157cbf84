import type { Passage, WordWeights } from '#platform/models/model.ts'
import { asksForNumber, isFunctionWord } from './function-words.ts'
import { wordsOf } from './sentences.ts'
import { statementsOf, type Statement } from './statements.ts'

export interface Asked {
  readonly question: string
  /** The best first. */
  readonly passages: readonly Passage[]
  readonly weights: WordWeights
}

export interface Extract {
  /** Index of the passage. */
  readonly passage: number
  /** Verbatim, in reading order. */
  readonly statements: readonly Statement[]
}

/** Most statements in an answer, and the length after which none is added. */
const maxStatements = 6
const enoughCharacters = 700

/** The smallest share of a question's weight that a passage must contain to answer it. */
const passageThreshold = 0.41

/**
 * The threshold for a passage whose heading names the subject, or of which one statement contains
 * several of the question's words.
 */
const lowerThreshold = 0.34
const sharedWords = 2

/** A sentence is added when it scores at least this share of the best one. */
const sentenceThreshold = 0.55

/** When a statement answers the whole question, other passages must answer nearly as much of it. */
const whole = 0.9
const besideWhole = 0.9

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

/** The score of a statement with a number is multiplied by this if the question asks for one. */
const numberBonus = 1.3

interface Candidate {
  readonly passage: number
  readonly position: number
  readonly statement: Statement
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
export function extractAnswer({ question, passages, weights }: Asked): Extract[] {
  const looked = passages.slice(0, maxPassages).map(readPassage)
  const terms = termsOf(
    question,
    looked.map(({ allWords }) => allWords),
    weights,
  )
  const wantsNumber = asksForNumber(question)
  const candidates = looked
    .filter((passage) => isAbout(passage, terms))
    .flatMap(({ index, headingWords, statements }) =>
      statements.map((one, position) => ({
        ...one,
        passage: index,
        position,
        score:
          scoreOf(terms, one.words, headingWords, position) *
          (1 - rankPenalty * index) *
          (wantsNumber && /\p{N}/u.test(one.statement.text) ? numberBonus : 1),
      })),
    )
  return gather(choose(candidates))
}

interface ReadPassage {
  readonly index: number
  readonly statements: readonly Pick<Candidate, 'statement' | 'words'>[]
  /** Words of the title and of all headings above the passage. */
  readonly headingWords: readonly string[]
  /** Words of the nearest heading above the passage. */
  readonly ownHeading: readonly string[]
  readonly allWords: readonly string[]
}

function readPassage({ title, heading, text }: Passage, index: number): ReadPassage {
  const statements = statementsOf(text.slice(0, maxPassageCharacters))
    .map((statement) => ({ statement, words: wordsOf(`${statement.head} ${statement.text}`) }))
    .filter(({ words }) => words.length > 0)
  const headingWords = wordsOf(`${title} ${heading}`)
  const ownHeading = wordsOf(heading === '' ? title : (heading.split(' › ').at(-1) ?? ''))
  const allWords = [...headingWords, ...statements.flatMap(({ words }) => words)]
  return { index, statements, headingWords, ownHeading, allWords }
}

function isAbout(
  { allWords, ownHeading, statements }: ReadPassage,
  terms: readonly Term[],
): boolean {
  const covered = coverage(terms, allWords)
  if (covered >= passageThreshold) return true
  if (covered < lowerThreshold) return false
  const telling = ownHeading.filter((word) => !isFunctionWord(word))
  const named = telling.filter((word) => terms.some(({ matches }) => matches.has(word)))
  if (named.length > 0 && named.length * 2 >= telling.length) return true
  return statements.some(({ words }) => {
    const read = new Set(words)
    const shared = terms.filter(({ matches }) => [...matches.keys()].some((word) => read.has(word)))
    return shared.length >= sharedWords
  })
}

function termsOf(
  question: string,
  passages: readonly (readonly string[])[],
  weights: Asked['weights'],
): Term[] {
  const words = [...new Set(wordsOf(question))]
  const telling = words.filter((word) => !isFunctionWord(word))
  const vocabulary = new Set(passages.flat())
  return (telling.length > 0 ? telling : words).slice(0, maxTerms).map((word) => {
    const matches = matchesOf(word, vocabulary)
    const having = passages.filter((passage) => passage.some((other) => matches.has(other))).length
    const weight = weights.get(word) ?? Math.log(1 + (passages.length + 1) / (having + 1))
    return { matches, weight }
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
    if (chosen.size >= maxStatements || length >= enoughCharacters) break
    const share =
      candidate.passage !== best.passage && best.score >= whole ? besideWhole : sentenceThreshold
    if (candidate.score < best.score * share) continue
    const answer = announces(candidate) ? following(candidate, candidates) : candidate
    if (answer === undefined || chosen.has(answer.statement.text)) continue
    chosen.set(answer.statement.text, answer)
    length += answer.statement.text.length
  }
  return [...chosen.values()]
}

/** Questions, headings and lines that end in a colon announce an answer but are none. */
function announces({ statement: { text }, words }: Candidate): boolean {
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

/** The passage of the best statement comes first; its statements are in reading order. */
function gather(chosen: readonly Candidate[]): Extract[] {
  return [...Map.groupBy(chosen, ({ passage }) => passage)].map(([passage, candidates]) => ({
    passage,
    statements: candidates
      .toSorted((one, other) => one.position - other.position)
      .map(({ statement }) => statement),
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
