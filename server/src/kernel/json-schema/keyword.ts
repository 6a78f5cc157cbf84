/** The check of one value, as the keywords of a schema see it. */
export interface Check {
  /** What is wrong with the value. */
  problemOf(schema: unknown, value: unknown, at: Place): string | null
  /** What is wrong with a property or an item of the value. */
  problemOfPart(schema: unknown, part: unknown, at: Place, name: string | number): string | null
  /** @throws SchemaTooComplex: patterns run only where the process can be ended for them */
  matchesPattern(pattern: string, text: string): boolean
  /** @throws SchemaTooComplex */
  spend(steps: number): void
  /** What a reference within the schema names; undefined for any other. */
  find(reference: string): unknown
  /** Equal JSON values have the same text. */
  textOf(value: unknown): string
  textsOf(values: readonly unknown[]): Texts
}

/** The texts of an `enum`. */
export interface Texts {
  readonly all: ReadonlySet<string>
  /** The first of them, for a problem. */
  readonly first: string
}

/** Where in the value a schema applies, and how deep the schemas are nested. */
export interface Place {
  readonly path: string
  readonly depth: number
  /** Null when the schema has neither `unevaluatedProperties` nor `unevaluatedItems`. */
  readonly seen: Seen | null
}

/** The parts of a value to which a keyword of the schema applied. */
export interface Seen {
  readonly names: Set<string>
  readonly items: Set<number>
}

export type Schema = Readonly<Record<string, unknown>>

/** @returns what is wrong with the value */
export type Keyword = (check: Check, schema: Schema, value: unknown, at: Place) => string | null

export function named({ path }: Place): string {
  return path === '' ? 'the value' : path
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The longest part of a schema that a problem repeats. */
const longestShown = 300

export function shown(text: string): string {
  return text.slice(0, longestShown)
}

/** `minItems`, `maxItems` and the like. */
export function outside(schema: Schema, of: string, count: number, is: string): string | null {
  const { [`min${of}`]: least, [`max${of}`]: most } = schema
  if (typeof least === 'number' && count < least) return `${is}, fewer than ${least}`
  return typeof most === 'number' && count > most ? `${is}, more than ${most}` : null
}

/** The pattern as 2020-12 reads it, or as earlier drafts do; null if it is none. */
export function regExpOf(pattern: string): RegExp | null {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  return null
}
