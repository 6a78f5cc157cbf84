import { CpuSlice } from '#kernel/cpu-slice.ts'
import { normalized } from '#kernel/normalized.ts'
import { foldWord, stemGermanWord, stemWord } from './stem-word.ts'
import { ambiguous, stopWords } from './stop-words.ts'

/** Longer terms are encoded data, not words, and are cut. UTF-16 code units. */
const maxTermLength = 64

/**
 * The part of a question that is searched, in UTF-16 code units, and the most distinct terms: a pasted
 * document is cut here. The time to analyse a text grows with both.
 */
const maxQuestionLength = 10_000
const maxQuestionTerms = 500

const isAscii = /^[\0-\x7f]*$/
const asciiWords = /[a-z0-9]+(?:'(?:s|t|d|m|ll|re|ve)\b)?/g

const letters = /\p{L}+/gu

// Runs of each script that puts no spaces between words, then words of all other scripts.
const runs = new RegExp(
  [
    String.raw`(?<han>[\p{Script=Han}&&[\p{L}\p{N}]]+)`,
    String.raw`(?<pairs>[\p{Script=Hiragana}&&\p{L}]+|[\p{Script=Hangul}&&\p{L}]+)`,
    String.raw`(?<katakana>[[\p{Script=Katakana}&&\p{L}]ー]+)`,
    String.raw`(?<unspaced>[[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&[\p{L}\p{M}\p{N}]]+)`,
    String.raw`(?<word>[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+(?:['’](?:s|t|d|m|ll|re|ve)\b)?)`,
  ].join('|'),
  'gv',
)

// The dictionaries of these scripts are the same in every locale.
const dictionaryWords = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Words repeat constantly. The cache is emptied when it is full, which costs less than evicting single
 * entries.
 */
const maxKnown = 50_000

/** The term of a word; null for a stop word. */
type ToTerm = (word: string) => string | null

const plainTerm = remembering(stemWord)
const germanTerm = remembering(stemGermanWord)

/**
 * The terms of a document, in order, with repetitions: words without case, accents and endings, and
 * pairs of characters in scripts without spaces. Single Han characters are terms too, so that questions
 * of one character, and those that share no pair with any text, find something.
 */
export function analyse(text: string): string[] {
  return collect(text, true, plainTerm)
}

/** A part of this length takes a few milliseconds. UTF-16 code units. */
const partLength = 8 * 1024
/** Longer words are cut. */
const longestWord = 100

/** The distinct terms of a long text, as `analyse` finds them, while other work runs. */
export async function analyseInSlices(text: string, known: Set<string>): Promise<void> {
  const slice = new CpuSlice()
  for (let start = 0; start < text.length;) {
    const end = endOfPart(text, start)
    for (const term of analyse(text.slice(start, end))) known.add(term)
    start = end
    if (slice.isOver) await slice.next()
  }
}

function endOfPart(text: string, start: number): number {
  const most = start + partLength
  if (most >= text.length) return text.length
  const space = text.slice(most - longestWord, most).search(/\s\S*$/)
  return space === -1 ? most : most - longestWord + space + 1
}

/** The terms of a German text (see isGerman): its words have German stems, which are marked. */
export function analyseGerman(text: string): string[] {
  return collect(text, true, germanTerm)
}

/**
 * The distinct terms of a question. A Han run of several characters is searched by its pairs alone,
 * because its single characters are in half of all texts.
 */
export function analyseQuery(text: string): string[] {
  return distinct(collect(withoutAmbiguous(text), false, plainTerm))
}

/** A word of a question. */
export interface QuestionWord {
  /** As in `analyseQuery`. */
  readonly term: string
  /** The forms that a text may contain: one for each language that it may be analysed in. */
  readonly forms: readonly string[]
  /** How often the question contains it. */
  readonly count: number
}

/** The distinct words of a question in any language. */
export function analyseQuestion(text: string): QuestionWord[] {
  const german = new Map<string, string[]>()
  const terms = collect(withoutAmbiguous(text), false, (word) => {
    const [term, other] = [plainTerm(word), germanTerm(word)]
    if (term !== null && other !== null) german.set(term, [...(german.get(term) ?? []), other])
    return term
  })
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return distinct(terms).map((term) => {
    const forms = new Set([term, ...(german.get(term) ?? [])])
    return { term, forms: [...forms], count: counts.get(term) ?? 1 }
  })
}

/** The forms of all words, each with how often the question contains it. */
export function formsOf(words: readonly QuestionWord[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { forms, count } of words)
    for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + count)
  return counts
}

/** The terms of a run of several Han characters. */
const hanPair = /^\p{Script=Han}{2}$/u

export function hanPairs(words: readonly QuestionWord[]): string[] {
  return words.map(({ term }) => term).filter((term) => hanPair.test(term))
}

function distinct(terms: readonly string[]): string[] {
  return [...new Set(terms)].slice(0, maxQuestionTerms)
}

function withoutAmbiguous(question: string): string {
  const words = normalized(question.slice(0, maxQuestionLength), 'NFKC').toLowerCase()
  const folded = words.match(letters)?.map(foldWord) ?? []
  const languages = ambiguous.filter(({ evidence }) => folded.some((word) => evidence.has(word)))
  const empty = new Set(languages.flatMap((language) => [...language.words]))
  return empty.size === 0
    ? words
    : words.replaceAll(letters, (word) => (empty.has(word) ? ' ' : word))
}

function collect(text: string, singles: boolean, toTerm: ToTerm): string[] {
  const terms: string[] = []
  if (isAscii.test(text)) {
    for (const word of text.toLowerCase().match(asciiWords) ?? []) addWord(terms, word, toTerm)
    return terms
  }
  for (const { groups } of normalized(text, 'NFKC').toLowerCase().matchAll(runs))
    addRun(terms, groups ?? {}, singles, toTerm)
  return terms
}

type Run = Partial<Record<string, string>>

function addRun(
  terms: string[],
  { han, pairs, katakana, unspaced, word }: Run,
  singles: boolean,
  toTerm: ToTerm,
) {
  if (word !== undefined) addWord(terms, word, toTerm)
  else if (han !== undefined) addHan(terms, han, singles)
  else if (pairs !== undefined) addPairs(terms, [...pairs])
  else if (katakana !== undefined) addTerm(terms, katakana.replaceAll(/(?<=..)ー$/g, ''))
  else if (unspaced !== undefined)
    for (const { segment, isWordLike } of dictionaryWords.segment(unspaced))
      if (isWordLike) addTerm(terms, segment)
}

function addWord(terms: string[], word: string, toTerm: ToTerm): void {
  const term = toTerm(word)
  if (term !== null) terms.push(term)
}

function remembering(stem: (word: string) => string): ToTerm {
  const known = new Map<string, string | null>()
  return (word) => {
    const before = known.get(word)
    if (before !== undefined) return before
    const term = termOf(word, stem)
    if (known.size >= maxKnown) known.clear()
    if (word.length <= maxTermLength) known.set(word, term)
    return term
  }
}

function termOf(word: string, stem: (word: string) => string): string | null {
  const apostrophe = word.search(/['’]/)
  const bare = apostrophe === -1 ? word : word.slice(0, apostrophe)
  if (stopWords.has(bare) || stopWords.has(foldWord(bare))) return null
  return stem(shortened(bare)) || null
}

function addHan(terms: string[], run: string, singles: boolean): void {
  const characters = [...run]
  if (singles || characters.length === 1) terms.push(...characters)
  addPairs(terms, characters)
}

function addPairs(terms: string[], characters: readonly string[]): void {
  for (let at = 1; at < characters.length; at++)
    addTerm(terms, `${characters[at - 1]}${characters[at]}`)
}

function addTerm(terms: string[], term: string): void {
  if (!stopWords.has(term)) terms.push(shortened(term))
}

function shortened(term: string): string {
  if (term.length <= maxTermLength) return term
  return term.slice(0, maxTermLength).replace(/[\uD800-\uDBFF]$/, '')
}
