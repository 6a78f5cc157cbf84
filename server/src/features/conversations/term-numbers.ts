import { crc32 } from 'node:zlib'
import { sql, type RawBuilder } from 'kysely'
import { indexedBeginnings } from './begun-word.ts'

/** Terms as PostgreSQL's index of conversations has them: as numbers, which share buckets (migration 79). */

/** What a search wants of a conversation: the term, or a word with the beginning. */
export interface Wanted {
  readonly agentNumber: number
  readonly term: string
  /** Words with this beginning count too: the last word of a search may still be typed. */
  readonly start: string | null
}

export interface IndexedTerms {
  readonly agentNumber: number
  readonly terms: readonly string[]
  /** Those of the first message: PostgreSQL's index has their beginnings. */
  readonly opening: readonly string[]
}

/** The numbers that satisfy a search: any of them is enough. */
export function numbersOf({ agentNumber, term, start }: Wanted): number[] {
  const known = indexedBeginnings.findLast((length) => length <= (start?.length ?? 0))
  const begun = known === undefined ? [] : [beginning(agentNumber, start?.slice(0, known) ?? '')]
  return [`${agentNumber}:${term}`, ...begun].map(numberOf)
}

/**
 * The numbers of the terms, and of the beginnings of the first message's: those of all messages would be
 * four times as many bytes. A word that is its own beginning has one number.
 */
export function numbersOfAll({ agentNumber, terms, opening }: IndexedTerms): number[] {
  const beginnings = opening.flatMap((term) =>
    indexedBeginnings
      .filter((length) => length < term.length)
      .map((length) => beginning(agentNumber, term.slice(0, length))),
  )
  const values = [...prefixed({ agentNumber, terms }), ...beginnings]
  return [...new Set(values.map(numberOf))]
}

export function prefixed({
  agentNumber,
  terms,
}: Pick<IndexedTerms, 'agentNumber' | 'terms'>): string[] {
  return terms.map((term) => `${agentNumber}:${term}`)
}

function beginning(agentNumber: number, start: string): string {
  return `${agentNumber}>${start}`
}

/**
 * Four bytes for a term. A search of an agent whose conversations have 100,000 different words meets a
 * word with the same number once in 43,000 searches.
 */
function numberOf(value: string): number {
  return crc32(value) | 0
}

/** As a value of PostgreSQL. */
export function arrayOf(numbers: readonly number[]): RawBuilder<unknown> {
  return sql`${`{${numbers.join(',')}}`}::integer[]`
}
