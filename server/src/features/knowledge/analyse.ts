import { foldWord, stemWord } from './stem-word.ts'
import { ambiguousStopWords, stopWords } from './stop-words.ts'

/** The longest term kept: what is longer is no word but encoded data. UTF-16 code units. */
const longestTerm = 64

const isAscii = /^[\0-\x7f]*$/
const asciiWords = /[a-z0-9]+(?:'(?:s|t|d|m|ll|re|ve)\b)?/g

const letters = /\p{L}+/gu

// Scripts that put no spaces between words, each run on its own, then words of all the others.
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

// The dictionary of a script is the same in every locale.
const dictionaryWords = new Intl.Segmenter('und', { granularity: 'word' })

/** Words come back constantly; the map is emptied when full, which costs less than any ageing. */
const known = new Map<string, string | null>()
const mostKnown = 50_000

/**
 * The terms of a document, in order, with repetitions: words without case, accents and endings;
 * pairs of characters where a script has no spaces, and single Han characters, so that a question
 * of one character finds something.
 */
export function analyse(text: string): string[] {
  return collect(text, true)
}

/**
 * The distinct terms of a question, as `analyse` gives those of a document. A Han run of several
 * characters is asked for by its pairs alone: its single characters are in half of all texts.
 */
export function analyseQuery(text: string): string[] {
  return [...new Set(collect(withoutAmbiguous(text), false))]
}

function withoutAmbiguous(question: string): string {
  const words = question.normalize('NFKC').toLowerCase()
  const empty = ambiguousStopWords(words.match(letters) ?? [])
  return empty.size === 0
    ? words
    : words.replaceAll(letters, (word) => (empty.has(word) ? ' ' : word))
}

function collect(text: string, singles: boolean): string[] {
  const terms: string[] = []
  if (isAscii.test(text)) {
    for (const word of text.toLowerCase().match(asciiWords) ?? []) addWord(terms, word)
    return terms
  }
  for (const { groups } of text.normalize('NFKC').toLowerCase().matchAll(runs))
    addRun(terms, groups ?? {}, singles)
  return terms
}

type Run = Partial<Record<string, string>>

function addRun(terms: string[], { han, pairs, katakana, unspaced, word }: Run, singles: boolean) {
  if (word !== undefined) addWord(terms, word)
  else if (han !== undefined) addHan(terms, han, singles)
  else if (pairs !== undefined) addPairs(terms, [...pairs])
  else if (katakana !== undefined) addTerm(terms, katakana.replaceAll(/(?<=..)ー$/g, ''))
  else if (unspaced !== undefined)
    for (const { segment, isWordLike } of dictionaryWords.segment(unspaced))
      if (isWordLike) addTerm(terms, segment)
}

function addWord(terms: string[], word: string): void {
  let term = known.get(word)
  if (term === undefined) {
    term = termOf(word)
    if (known.size >= mostKnown) known.clear()
    if (word.length <= longestTerm) known.set(word, term)
  }
  if (term !== null) terms.push(term)
}

/** Null for a word that says nothing. */
function termOf(word: string): string | null {
  const apostrophe = word.search(/['’]/)
  const bare = apostrophe === -1 ? word : word.slice(0, apostrophe)
  if (stopWords.has(bare) || stopWords.has(foldWord(bare))) return null
  return stemWord(shortened(bare)) || null
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
  if (term.length <= longestTerm) return term
  return term.slice(0, longestTerm).replace(/[\uD800-\uDBFF]$/, '')
}
