import { stem } from 'porter2'
import { normalized } from '#kernel/normalized.ts'
import { stemGerman } from './stem-german.ts'
import { english } from './related-words/english.ts'
import { german } from './related-words/german.ts'

/** How much a related word counts beside the word itself. */
const strengths = { synonym: 0.7, general: 0.6, kind: 0.5 } as const

/** Words of a question that are looked up, and the characters that are read. */
const maxWords = 100
const maxCharacters = 4000

const longestPhrase = 3

const words = /[\p{L}\p{N}]+/gu

interface Group {
  readonly words: readonly string[]
  readonly strength: number
}

interface Language {
  readonly stem: (word: string) => string
  /** From the stems of a word or phrase to the groups of its related words. */
  readonly groups: ReadonlyMap<string, readonly Group[]>
}

/** Built for the first question: many installations never need it. */
let languages: readonly Language[] | null = null

/**
 * The words of a question with the words that a text may use instead, each with a strength from 0 to 1.
 * Words are in lowercase and without diacritics.
 */
export function relatedWords(question: string): Map<string, Map<string, number>> {
  const text = normalized(question.slice(0, maxCharacters), 'NFKD').replace(/\p{Mn}/gu, '')
  const asked = (text.toLowerCase().match(words) ?? []).slice(0, maxWords)
  languages ??= [languageOf(english, stem), languageOf(german, stemGerman)]
  const related = new Map<string, Map<string, number>>()
  for (const { stem: toStem, groups } of languages) {
    const stems = asked.map((word) => toStem(word.replaceAll('ß', 'ss')))
    for (const at of asked.keys())
      for (let end = at + 1; end <= Math.min(at + longestPhrase, asked.length); end += 1)
        for (const group of groups.get(stems.slice(at, end).join(' ')) ?? [])
          for (const word of asked.slice(at, end)) add(related, word, group)
  }
  return related
}

function add(related: Map<string, Map<string, number>>, word: string, group: Group): void {
  const own = related.get(word) ?? new Map<string, number>()
  for (const other of group.words)
    if (other !== word) own.set(other, Math.max(group.strength, own.get(other) ?? 0))
  related.set(word, own)
}

function languageOf(lines: string, toStem: Language['stem']): Language {
  const groups = new Map<string, Group[]>()
  const relate = (entry: string, group: Group) => {
    const key = entry.split('_').map(toStem).join(' ')
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [group])
    else known.push(group)
  }
  for (const line of lines.trim().split('\n')) {
    const [first = '', second] = line.split(': ')
    const entries = (second ?? first).split(' ')
    // A text that answers with a phrase is found by its other words.
    const single = entries.filter((entry) => !entry.includes('_'))
    if (second === undefined)
      for (const entry of entries) relate(entry, { words: single, strength: strengths.synonym })
    else {
      relate(first, { words: single, strength: strengths.kind })
      for (const entry of entries) relate(entry, { words: [first], strength: strengths.general })
    }
  }
  return { stem: toStem, groups }
}
