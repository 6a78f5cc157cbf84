import { CompiledQuery } from 'kysely'
import type * as flexible from 'rate-limiter-flexible'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database, Value } from '#platform/db/database.ts'
import type { Limits, Verdict, Window } from './limits.ts'

/**
 * Fixed windows by `rate-limiter-flexible`: in memory on SQLite, where there is one process, in the
 * database on PostgreSQL, where there may be many. The library is loaded at the first request that
 * is counted.
 */
export function createLimits(db: Database): Limits {
  const limiters = new Map<string, RateLimiterAbstract>()
  let library: Promise<typeof flexible> | null = null

  async function limiterOf(window: Window): Promise<RateLimiterAbstract> {
    library ??= import('rate-limiter-flexible')
    const loaded = await library
    const name = `${window.limit}/${window.windowSeconds}`
    const limiter = limiters.get(name) ?? createLimiter(loaded, db, window)
    limiters.set(name, limiter)
    return limiter
  }

  return {
    async consume(key, window) {
      const limiter = await limiterOf(window)
      return await limiter.consume(key).then(
        (counted) => verdict(true, counted),
        (rejected: unknown) => {
          // The library rejects with its result when the limit is reached, with an Error otherwise.
          if (rejected instanceof Error) throw rejected
          return verdict(false, rejected as RateLimiterRes)
        },
      )
    },
    async peek(key, window) {
      const limiter = await limiterOf(window)
      const counted = await limiter.get(key)
      if (counted === null) return untouched(window)
      return verdict(counted.consumedPoints < window.limit, counted)
    },
    async giveBack(key, window) {
      const limiter = await limiterOf(window)
      const { consumedPoints } = await limiter.reward(key)
      // The window has ended meanwhile, so there is nothing to give back: undo it.
      if (consumedPoints < 0) await limiter.penalty(key)
    },
  }
}

function createLimiter(
  library: typeof flexible,
  db: Database,
  window: Window,
): RateLimiterAbstract {
  const options = { points: window.limit, duration: window.windowSeconds, keyPrefix: 'window' }
  if (db.engine === 'sqlite') return new library.RateLimiterMemory(options)
  return new library.RateLimiterPostgres({
    ...options,
    storeClient: { query: (query: StoreQuery) => runStoreQuery(db, query) },
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
  })
}

interface StoreQuery {
  readonly text: string
  readonly values?: Value[]
}

/**
 * Each of the library's queries is one statement, atomic as such: it counts on the row that its first
 * value names, by what stands there. Only its sweep of old windows touches more rows.
 */
async function runStoreQuery(db: Database, { text, values = [] }: StoreQuery) {
  const rows = await runOnRow(db, text, Object.fromEntries(values.entries()))
  // The library reads a result as `pg` gives it.
  return { rows, rowCount: rows.length }
}

type StoreValues = Readonly<Record<number, Value>>

async function runOnRow(db: Database, text: string, given: StoreValues) {
  const prepared = db.prepared(statementOf(text, Object.keys(given).length))
  const [verb] = text.trimStart().split(/\s/, 1)
  if (verb === 'SELECT') return await prepared.read(given)
  return await (verb === 'INSERT' ? prepared.writeByKey(given) : prepared.write(given))
}

type StoreStatement = (db: unknown, given: StoreValues) => CompiledQuery

/** Bounded: the library uses half a dozen different statements. */
const statements = new Map<string, StoreStatement>()

function statementOf(text: string, count: number): StoreStatement {
  const known = statements.get(text)
  if (known !== undefined) return known
  const statement: StoreStatement = (_, given) =>
    CompiledQuery.raw(
      text,
      Array.from({ length: count }, (_value, index) => given[index]),
    )
  statements.set(text, statement)
  return statement
}

/** The verdict for a window in which nothing was counted yet. */
function untouched({ limit, windowSeconds }: Window): Verdict {
  const resetsAt = Date.now() + windowSeconds * 1000
  return { allowed: limit > 0, remaining: limit, retryAfterSeconds: windowSeconds, resetsAt }
}

function verdict(allowed: boolean, counted: RateLimiterRes): Verdict {
  return {
    allowed,
    remaining: counted.remainingPoints,
    retryAfterSeconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)),
    resetsAt: Date.now() + counted.msBeforeNext,
  }
}
