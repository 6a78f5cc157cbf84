import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { insertProducts, insertWords, removeProducts } from './bulk-store.ts'
import { inTiles, type ProductTile } from './store-plan.ts'
import type { ProductRow } from './store.ts'

/** What a hidden unit stores is shown by a later unit, which flushes it. */
export const hidden = { isHidden: true, flush: 'later' } as const

/**
 * Statements of one unit. Each statement is short because it holds the event loop. A unit has several,
 * because the words of its products change the same pages of the index, which are written once.
 */
export const statementsOfUnit = { sqlite: 8, postgres: 1 } as const

/**
 * Tiles that are stored at the same time. PostgreSQL works while the next tile is prepared, and one
 * connection uses one core of the server. SQLite has one writer.
 */
const tilesAtOnce = { sqlite: 1, postgres: 2 } as const

/** The ids of products that were stored hidden, in parts that one short unit can remove. */
export type HiddenParts = string[][]

/**
 * Stores products that no reader shows yet, in short units: deleted ones until `showProducts`, or those
 * of an agent that is hidden itself. A process that dies before leaves them to be pruned like others.
 *
 * @param stored gets the ids of each part that may have been stored, so that a failure can remove them
 * @param check a step of the first unit
 */
export async function storeHidden(
  { db }: Pick<Context, 'db'>,
  products: readonly ProductRow[],
  stored: HiddenParts,
  check: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  const running = new Set<Promise<void>>()
  try {
    for await (const tile of inTiles(db, products)) {
      const isFirst = stored.length === 0
      stored.push(...tile.removable)
      const stores = storeTile(db, tile, isFirst ? check : async () => {})
      if (isFirst) await stores
      else await startAmong(running, stores, tilesAtOnce[db.engine])
    }
    await Promise.all(running)
  } finally {
    // What is removed after a failure must not be stored later.
    await Promise.allSettled(running)
  }
}

/** Waits until fewer than `most` run, of which this is one. */
async function startAmong(
  running: Set<Promise<void>>,
  started: Promise<void>,
  most: number,
): Promise<void> {
  running.add(started)
  // A failure stays among them, so that whoever waits for them finds it.
  void started.then(
    () => running.delete(started),
    () => undefined,
  )
  if (running.size >= most) await Promise.race(running)
}

async function storeTile(
  db: Database,
  { rows, words }: ProductTile,
  check: (tx: Tx) => Promise<void>,
): Promise<void> {
  const agentId = rows[0]?.agent_id ?? ''
  let isRest = false
  for await (const parts of inGroups(words, statementsOfUnit[db.engine])) {
    const added = isRest ? [] : rows
    isRest = true
    await db.write(async (tx) => {
      if (added.length > 0) await check(tx)
      if (added.length > 0) await insertProducts(tx, db.engine, added)
      const slice = new CpuSlice()
      for (const part of parts) {
        if (slice.isOver) await slice.next()
        await insertWords(tx, db.engine, agentId, part)
      }
    }, hidden)
  }
}

/** Puts what arrives one by one together, in groups of this size. */
export async function* inGroups<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size: number,
): AsyncGenerator<Item[]> {
  let group: Item[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Removes those of the products that are still hidden. */
export async function removeHidden(
  { db }: Pick<Context, 'db'>,
  stored: HiddenParts,
): Promise<void> {
  const slice = new CpuSlice()
  for (const ids of stored) {
    if (slice.isOver) await slice.next()
    await db.write((tx) => removeProducts(tx, db.engine, ids), hidden)
  }
}
