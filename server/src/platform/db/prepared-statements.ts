import type { CompiledQuery, Kysely } from 'kysely'
import type { Database, Prepared, Statement, Tx, Value } from './database.ts'
import type { Schema } from './schema.ts'

/** How an engine runs a compiled statement for each method of `Prepared`; none of them throws at once. */
interface StatementRunners {
  /** Which methods send few values (`withFewValues`). PostgreSQL infers one type for each value. */
  readonly sendsFew: 'always' | 'by key'
  read(sql: string, values: readonly Value[]): Promise<readonly unknown[]>
  readShared(sql: string, values: readonly Value[]): Promise<readonly unknown[]>
  within(tx: Tx, sql: string, values: readonly Value[]): Promise<readonly unknown[]>
  later(tx: Tx, sql: string, values: readonly Value[]): Promise<void>
  write(sql: string, values: readonly Value[]): Promise<readonly unknown[]>
  writeByKey(sql: string, values: readonly Value[]): Promise<readonly unknown[]>
}

/** A placeholder in a compiled query for a value that is bound later. */
class StandIn {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** One for each name. */
const standInOf = new Map<string, StandIn>()

const standIns: object = new Proxy(
  {},
  { get: (_, name) => standInFor(String(name)), ownKeys: refuseLook, has: refuseLook },
)

function standInFor(name: string): StandIn {
  const standIn = standInOf.get(name) ?? new StandIn(name)
  standInOf.set(name, standIn)
  return standIn
}

function refuseLook(): never {
  throw new TypeError('A prepared statement must name its values one by one')
}

/** Implements `Database.prepared`: each statement is compiled on first use. */
export function prepareStatements(
  compiler: Kysely<Schema>,
  runners: StatementRunners,
): Database['prepared'] {
  const known = new WeakMap<object, Prepared<never, unknown>>()
  return <Given, Row>(statement: Statement<Given, Row>): Prepared<Given, Row> => {
    // The entry was made from this statement, so it has the same types.
    const before = known.get(statement) as Prepared<Given, Row> | undefined
    if (before !== undefined) return before
    const made = prepare(compiler, runners, statement)
    known.set(statement, made)
    return made
  }
}

function prepare<Given, Row>(
  compiler: Kysely<Schema>,
  runners: StatementRunners,
  statement: Statement<Given, Row>,
): Prepared<Given, Row> {
  // A statement only puts its given values into a query, where a stand-in works like a value.
  const query = statement(compiler, standIns as Given)
  const compiled = 'sql' in query ? query : query.compile()
  const byKey = withFewValues(compiled)
  const { sql, parameters } = runners.sendsFew === 'always' ? byKey : compiled
  const bind = binderOf(parameters)
  const bindByKey = binderOf(byKey.parameters)
  // Kysely computed the rows' type from what the statement selects.
  return {
    read: (given) => runners.read(sql, bind(given)) as Promise<Row[]>,
    readShared: (given) =>
      runners.readShared(sql, bind(given)) as Promise<readonly Readonly<Row>[]>,
    within: (tx, given) => runners.within(tx, sql, bind(given)) as Promise<Row[]>,
    later: (tx, given) => runners.later(tx, sql, bind(given)),
    write: (given) => runners.write(sql, bind(given)) as Promise<Row[]>,
    writeByKey: (given) => runners.writeByKey(byKey.sql, bindByKey(given)) as Promise<Row[]>,
    step: (given, orFail) => ({ sql, values: bind(given), orFail }),
  }
}

type Compiled = Pick<CompiledQuery, 'sql' | 'parameters'>

function binderOf(parameters: readonly unknown[]): (given: unknown) => Value[] {
  return (given) =>
    parameters.map((parameter) =>
      // The statement read these names from Given, whose properties are values.
      parameter instanceof StandIn
        ? (given as Readonly<Record<string, Value>>)[parameter.name]
        : parameter,
    ) as Value[]
}

/**
 * A value that the statement uses in several places becomes one parameter, and constants become part of
 * its text: binding a value takes longer than using it. A SQLite parameter has its number only where it
 * is used again: `?5` is a name, and node:sqlite looks up the name of each parameter that it binds, for
 * which SQLite reads the list of names from the beginning. No text or comment of a statement may contain
 * such a number.
 */
function withFewValues({ sql, parameters }: Compiled): Compiled {
  const kept: unknown[] = []
  const places = parameters.map((parameter) => {
    const literal = literalOf(parameter)
    if (literal !== null) return { literal }
    const index = parameter instanceof StandIn ? kept.indexOf(parameter) : -1
    return { number: index === -1 ? kept.push(parameter) : index + 1 }
  })
  let used = 0
  const text = sql.replaceAll(/([$?])(\d+)/g, (all, sign: string, number: string) => {
    const place = places[Number(number) - 1]
    if (place === undefined) return all
    if (place.number === undefined) return place.literal
    // SQLite gives `?` the number after the largest one before it.
    const isNext = sign === '?' && place.number === used + 1
    used = Math.max(used, place.number)
    return isNext ? '?' : `${sign}${place.number}`
  })
  return { sql: text, parameters: kept }
}

/** Null for what is not a constant, or one that would have to be escaped. */
function literalOf(parameter: unknown): string | null {
  if (parameter === null) return 'null'
  if (typeof parameter === 'number' && Number.isSafeInteger(parameter) && parameter >= 0)
    return String(parameter)
  return typeof parameter === 'string' && /^\w*$/.test(parameter) ? `'${parameter}'` : null
}
