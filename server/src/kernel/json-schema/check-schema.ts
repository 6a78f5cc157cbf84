import { isObject } from '#kernel/json.ts'
import { combinations, unevaluated } from './combinations.ts'
import { findInSchema } from './find-in-schema.ts'
import { regExpOf, shown, type Check, type Place, type Seen, type Texts } from './keyword.ts'
import { partKeywords } from './part-keywords.ts'
import { valueKeywords } from './value-keywords.ts'

/**
 * Checks a value against a JSON Schema (2020-12, and what earlier drafts call differently), for schemas that
 * a caller wrote. Every step counts towards a limit, because references and alternatives can take
 * exponential time, and a step that works on a long text or list counts as several. `unchecked-keyword.ts`
 * finds what is not checked.
 */

/** Takes about 10 ms. */
const usualSteps = 10_000
const deepest = 200

export class SchemaTooComplex extends Error {
  override readonly name = 'SchemaTooComplex'
}

interface CheckOptions {
  readonly mostSteps?: number
  /** A pattern takes unlimited time. */
  readonly runsPatterns?: boolean
}

/**
 * @returns what is wrong with the value, and where; null when it matches
 * @throws SchemaTooComplex: it takes more steps, or has a pattern that must not run here
 */
export function checkSchema(
  schema: unknown,
  value: unknown,
  options: CheckOptions = {},
): string | null {
  return new SchemaCheck(schema, options).problem(value)
}

const keywords = [...valueKeywords, ...combinations, ...partKeywords]

class SchemaCheck implements Check {
  readonly #runsPatterns: boolean
  readonly #patterns = new Map<string, RegExp | null>()
  readonly #root: unknown
  readonly #tracks: boolean
  readonly #found = new Map<string, unknown>()
  readonly #texts = new Map<object, Texts>()
  #left: number

  constructor(root: unknown, { runsPatterns = false, mostSteps = usualSteps }: CheckOptions) {
    this.#root = root
    this.#left = mostSteps
    this.#runsPatterns = runsPatterns
    this.#tracks = this.#has(root, ['unevaluatedProperties', 'unevaluatedItems'])
  }

  problem(value: unknown): string | null {
    return this.problemOf(this.#root, value, { path: '', depth: 0, seen: this.#newSeen() })
  }

  problemOf(schema: unknown, value: unknown, at: Place): string | null {
    this.spend(1)
    if (at.depth > deepest) throw new SchemaTooComplex()
    if (schema === false) return `${at.path === '' ? 'the value' : at.path} must not be there`
    if (!isObject(schema)) return null
    const place = { ...at, depth: at.depth + 1 }
    for (const keyword of keywords) {
      const problem = keyword(this, schema, value, place)
      if (problem !== null) return problem
    }
    return at.seen === null ? null : unevaluated(this, schema, value, place)
  }

  problemOfPart(schema: unknown, part: unknown, at: Place, name: string | number): string | null {
    const { path, depth } = at
    return this.problemOf(schema, part, { path: `${path}/${name}`, depth, seen: this.#newSeen() })
  }

  matchesPattern(pattern: string, text: string): boolean {
    if (!this.#runsPatterns) throw new SchemaTooComplex()
    this.spend(1)
    let compiled = this.#patterns.get(pattern)
    if (compiled === undefined) {
      compiled = regExpOf(pattern)
      this.#patterns.set(pattern, compiled)
    }
    return compiled?.test(text) ?? true
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new SchemaTooComplex()
  }

  find(reference: string): unknown {
    this.spend(1 + reference.length / lengthOfStep)
    if (this.#found.has(reference)) return this.#found.get(reference)
    const found = findInSchema(this.#root, reference, (steps) => this.spend(steps))
    this.#found.set(reference, found)
    return found
  }

  textOf(value: unknown): string {
    if (typeof value === 'string') {
      this.spend(1 + value.length / lengthOfStep)
      return JSON.stringify(value)
    }
    this.spend(1)
    if (Array.isArray(value)) return `[${value.map((one) => this.textOf(one)).join()}]`
    if (!isObject(value)) return String(value)
    const keys = Object.keys(value)
    // To sort them takes longer than to read them.
    this.spend(keys.length * 4)
    return `{${keys
      .toSorted()
      .map((key) => `${this.textOf(key)}:${this.textOf(value[key])}`)
      .join()}}`
  }

  textsOf(values: readonly unknown[]): Texts {
    const known = this.#texts.get(values)
    if (known !== undefined) return known
    const all = values.map((one) => this.textOf(one))
    const texts = { all: new Set(all), first: shown(`[${all.slice(0, 100).map(shown).join()}]`) }
    this.#texts.set(values, texts)
    return texts
  }

  #newSeen(): Seen | null {
    return this.#tracks ? { names: new Set(), items: new Set() } : null
  }

  /** Whether one of the names stands anywhere in the schema. */
  #has(schema: unknown, names: readonly string[]): boolean {
    const open = [schema]
    while (open.length > 0) {
      const one = open.pop()
      if (typeof one !== 'object' || one === null) continue
      if (isObject(one) && names.some((name) => Object.hasOwn(one, name))) return true
      const parts = Object.values(one)
      this.spend(parts.length / 8)
      for (const part of parts) open.push(part)
    }
    return false
  }
}

/** Of a text, in UTF-16 code units. */
const lengthOfStep = 64
