import { CompiledQuery } from 'kysely'
import type * as flexible from 'rate-limiter-flexible'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database, Value } from '#platform/db/database.ts'
import type { Vault } from '#platform/vault.ts'
import type { Limits, Verdict, Window } from './limits.ts'
import { WindowBlocks } from './window-blocks.ts'

/**
 * Fixed windows by `rate-limiter-flexible`: in memory on SQLite, which serves one process, and in the
 * database on PostgreSQL, which may serve many. The library is loaded when the first request is
 * counted.
 *
 * Keys name people: end users, mail addresses, addresses of the network. In the database, a MAC takes the
 * place of each key, so that a row says nothing about a person, and erasing one needs no search.
 */
export function createLimits(db: Database, vault: Pick<Vault, 'mac'>): Limits {
  // By the length of the window only: callers with different limits may share a key.
  const limiters = new Map<number, RateLimiterAbstract>()
  let library: Promise<typeof flexible> | null = null

  async function limiterOf({ windowSeconds }: Window): Promise<RateLimiterAbstract> {
    library ??= import('rate-limiter-flexible')
    const loaded = await library
    const limiter = limiters.get(windowSeconds) ?? createLimiter(loaded, db, windowSeconds)
    limiters.set(windowSeconds, limiter)
    return limiter
  }

  const nameOf = (key: string) => (db.engine === 'sqlite' ? key : vault.mac('rate limit', key))

  const blocks = new WindowBlocks(async (key, window, points) => {
    const counted = await (await limiterOf(window)).consume(nameOf(key), points)
    return { counted: counted.consumedPoints, resetsAt: Date.now() + counted.msBeforeNext }
  })

  return {
    consumeInBlocks: (key, window) => blocks.consume(key, window),
    async consume(key, window) {
      const limiter = await limiterOf(window)
      const counted = await limiter.consume(nameOf(key))
      return verdict(window, counted, counted.consumedPoints <= window.limit)
    },
    async peek(key, window) {
      const limiter = await limiterOf(window)
      const counted = await limiter.get(nameOf(key))
      if (counted === null) return untouched(window)
      return verdict(window, counted, counted.consumedPoints < window.limit)
    },
    async giveBack(key, window) {
      const limiter = await limiterOf(window)
      const { consumedPoints } = await limiter.reward(nameOf(key))
      // The window has ended in the meantime, so there is no slot to release.
      if (consumedPoints < 0) await limiter.penalty(nameOf(key))
    },
  }
}

/** Of PostgreSQL's integers. */
const maxCount = 2_147_483_647

function createLimiter(
  library: typeof flexible,
  db: Database,
  windowSeconds: number,
): RateLimiterAbstract {
  // The library never refuses: it would need a limiter for each limit, with counts of its own.
  const options = { points: maxCount, duration: windowSeconds, keyPrefix: 'window' }
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

type StoreValues = Readonly<Record<number, Value>>

/**
 * Each of the library's queries is one atomic statement. It counts on the row that its first value
 * names and depends on that row alone; only the deletion of old windows changes more rows.
 */
async function runStoreQuery(db: Database, { text, values = [] }: StoreQuery) {
  const given: StoreValues = Object.fromEntries(values.entries())
  const prepared = db.prepared(statementOf(text, values.length))
  const [verb] = text.trimStart().split(/\s/, 1)
  const run =
    verb === 'SELECT' ? prepared.read : verb === 'INSERT' ? prepared.writeByKey : prepared.write
  const rows = await run(given)
  // The library reads a result in the form of `pg`.
  return { rows, rowCount: rows.length }
}

type StoreStatement = (db: unknown, given: StoreValues) => CompiledQuery

/** Bounded: the library uses half a dozen different statements. */
const statements = new Map<string, StoreStatement>()

function statementOf(text: string, count: number): StoreStatement {
  const known = statements.get(text)
  if (known !== undefined) return known
  const indexes = Array.from({ length: count }, (_, index) => index)
  const statement: StoreStatement = (_, given) =>
    CompiledQuery.raw(
      text,
      indexes.map((index) => given[index]),
    )
  statements.set(text, statement)
  return statement
}

/** The verdict for a window without a counted request. */
function untouched({ limit, windowSeconds }: Window): Verdict {
  const resetsAt = Date.now() + windowSeconds * 1000
  return { allowed: limit > 0, remaining: limit, retryAfterSeconds: windowSeconds, resetsAt }
}

function verdict({ limit }: Window, counted: RateLimiterRes, allowed: boolean): Verdict {
  return {
    allowed,
    remaining: Math.max(0, limit - counted.consumedPoints),
    retryAfterSeconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)),
    resetsAt: Date.now() + counted.msBeforeNext,
  }
}
