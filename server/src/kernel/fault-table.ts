import { Fault, type FaultCode, type FaultFacts, type FaultKind } from './fault.ts'

type FactsOf<Code> = Code extends FaultCode<string, infer Facts> ? Facts : never

/** A sentence, or one made from a fault's facts. */
export type Words<Facts> = string | ((facts: Facts) => string)

/** A set of fault codes without those that use the row of their kind. */
export type Without<Set, Code extends keyof Set> = Omit<Set, Code>

/** Words for every code of a set; missing or misspelt ones do not compile. */
export type WordsByCode<Set> = { readonly [Code in keyof Set]: Words<FactsOf<Set[Code]>> }

/** The fields in which a code differs from the row of its kind. A message alone needs no object. */
type OwnRow<W, Row> = W | (Partial<Row> & { readonly message: W })

/** A row for every code of a set; a missing or misspelt row does not compile. */
export type RowsByCode<Set, Row> = {
  readonly [Code in keyof Set]: OwnRow<WordsByCode<Set>[Code], Row>
}

/** A row for every kind, for the codes without a row of their own. */
export type RowsByKind<Row> = Readonly<Record<FaultKind, Row & { readonly message: string }>>

export interface FaultTable<Row> {
  readonly byKind: RowsByKind<Row>
  readonly byCode: Readonly<Record<string, OwnRow<Words<never>, Row>>>
}

/** The complete row of a code: its own fields, and the others from the row of its kind. */
export function rowOf<Row>(
  { code, kind }: FaultCode,
  { byKind, byCode }: FaultTable<Row>,
): Row & { readonly message: Words<never> } {
  const row = byKind[kind]
  const own = byCode[code]
  if (own === undefined) return row
  return { ...row, ...(typeof own === 'object' ? own : { message: own }) }
}

/** The row of an error with its message. An error that is not a Fault reveals nothing. */
export function worded<Row>(error: unknown, table: FaultTable<Row>): Row & { message: string } {
  if (!(error instanceof Fault)) return table.byKind.internal
  const row = rowOf(error, table)
  return { ...row, message: say(row.message, error.facts) }
}

/** Every row of a table, for contracts; `faults` has all codes with rows of their own. */
export function allRows<Row>(table: FaultTable<Row>, faults: Readonly<Record<string, FaultCode>>) {
  const own = Object.keys(table.byCode).flatMap((code) => faults[code] ?? [])
  return [...Object.values(table.byKind), ...own.map((fault) => rowOf(fault, table))]
}

export function say(words: Words<never>, facts: FaultFacts): string {
  // The key of a row is the code whose facts its words take, and `new Fault` requires those facts.
  return typeof words === 'string' ? words : words(facts as never)
}
