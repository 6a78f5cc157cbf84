import { stem } from 'porter2'
import { normalized } from '#kernel/normalized.ts'
import { stemGerman } from './stem-german.ts'
import { english } from './related-words/english.ts'
import { everydayEnglish } from './related-words/everyday-english.ts'
import { german } from './related-words/german.ts'
import { irregular } from './related-words/irregular.ts'
import { englishNumbers, germanNumbers } from './related-words/numbers.ts'

/** How much a related word counts beside the word itself. */
const strengths = { form: 0.85, synonym: 0.7, general: 0.6, kind: 0.5 } as const

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

const englishForms = `${irregular.trimEnd()}${englishNumbers}`

/** Built for the first question: many installations never need it. */
let languages: readonly Language[] | null = null

/**
 * The words of a question with the words that a text may use instead, each with a strength from 0 to 1.
 * Words are in lowercase and without diacritics.
 */
export function relatedWords(question: string): Map<string, Map<string, number>> {
  const text = normalized(question.slice(0, maxCharacters), 'NFKD').replace(/\p{Mn}/gu, '')
  const asked = (text.toLowerCase().match(words) ?? []).slice(0, maxWords)
  languages ??= [
    languageOf(
      `${english.trimEnd()}${everydayEnglish}`,
      baseStem(stem, englishForms),
      englishForms,
    ),
    languageOf(german, baseStem(stemGerman, germanNumbers), germanNumbers),
  ]
  const related = new Map<string, Map<string, number>>()
  for (const { stem: toStem, groups } of languages) {
    const stems = asked.map((word) => toStem(word.replaceAll('ß', 'ss')))
    for (const at of asked.keys())
      for (const phrase of phrasesFrom(asked, at))
        for (const group of groups.get(phrase.map((one) => stems[one]).join(' ')) ?? [])
          for (const one of phrase) add(related, asked[one] ?? '', group)
  }
  return related
}

/** Words that stand within a phrase: `send it back`, `turn the sound off`. */
const within = new Set(
  'it them this that these those me him her us the my your our a an one'.split(' '),
)

/** The phrases of a few words that begin at a word, as positions. */
function phrasesFrom(asked: readonly string[], start: number): number[][] {
  const phrases = [[start]]
  let phrase = [start]
  for (let at = start + 1; at < asked.length && phrase.length < longestPhrase; at += 1) {
    if (at > start + longestPhrase) break
    if (within.has(asked[at] ?? '')) continue
    phrase = [...phrase, at]
    phrases.push(phrase)
  }
  return phrases
}

function add(related: Map<string, Map<string, number>>, word: string, group: Group): void {
  const own = related.get(word) ?? new Map<string, number>()
  for (const other of group.words)
    if (other !== word) own.set(other, Math.max(group.strength, own.get(other) ?? 0))
  related.set(word, own)
}

/** The stem of a word; that of its base form, if the list has it. */
function baseStem(toStem: Language['stem'], list: string): Language['stem'] {
  const bases = new Map<string, string>()
  for (const [base = '', ...forms] of linesOf(list)) for (const form of forms) bases.set(form, base)
  return (word) => toStem(bases.get(word) ?? word)
}

function linesOf(list: string): string[][] {
  return list
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
}

/** @param formsOfWords lines of forms without a common stem */
function languageOf(lines: string, toStem: Language['stem'], formsOfWords: string): Language {
  const groups = new Map<string, Group[]>()
  const relate = (entry: string, group: Group) => {
    const key = entry.split('_').map(toStem).join(' ')
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [group])
    else known.push(group)
  }
  for (const line of lines.trim().split('\n')) {
    const [asked = '', written] = line.split(' > ')
    if (written !== undefined) {
      relate(asked, { words: written.split(' '), strength: strengths.form })
      continue
    }
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
  for (const forms of linesOf(formsOfWords))
    relate(forms[0] ?? '', { words: forms, strength: strengths.form })
  return { stem: toStem, groups }
}
