import { sql, type RawBuilder } from 'kysely'
import { lastDigits } from '#kernel/ids.ts'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { Purged } from './purge-plan.ts'

/** The most rows that one unit deletes: few, so that chat requests do not wait for it. */
const rowsAtOnce = 500
const parentsAtOnce = 100

/**
 * Deletes some of an owner's rows. Like the job that prunes ended records, this writes other features' tables: it works table
 * by table, after the owner was deleted and no feature uses its rows any more.
 *
 * @returns how many rows it deleted; 0 when none are left
 */
export async function deleteSome(tx: Tx, engine: Engine, step: Purged, ownerId: string) {
  const id = sql.ref(step.by)
  // The index of the ledger has only the last digits.
  const digits = sql`substr(${id}, 30) = ${lastDigits(ownerId)}`
  const owned = sql`${id} = ${ownerId} and ${digits}`
  if (step.with === undefined) return await deletePlaces(tx, engine, step, owned)
  const { rows } = await sql<{ id: string | number }>`
    select id from ${sql.table(step.table)} where ${owned} limit ${sql.lit(parentsAtOnce)}
  `.execute(tx)
  if (rows.length === 0) return 0
  const ids = sql.join(rows.map(({ id }) => id))
  for (const { table, where, only } of step.with) {
    if (only !== undefined && only !== engine) continue
    const gone = await deletePlaces(tx, engine, { table }, withIds(where, ids))
    if (gone > 0) return gone
  }
  await sql`delete from ${sql.table(step.table)} where id in (${ids})`.execute(tx)
  return rows.length
}

function withIds(where: string, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const [before = '', after = ''] = where.split('@ids')
  return sql`${sql.raw(before)}${ids}${sql.raw(after)}`
}

async function deletePlaces(
  tx: Tx,
  engine: Engine,
  { table, key }: Pick<Purged, 'table' | 'key'>,
  condition: RawBuilder<unknown>,
): Promise<number> {
  // Without a key, the physical row id: every table has it.
  const place = sql.raw(key ?? (engine === 'sqlite' ? 'rowid' : 'ctid'))
  const pace = new Pace(engine)
  for (let gone = 0; ;) {
    const limit = pace.next(rowsAtOnce - gone)
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${place} in (
        select ${place} from ${sql.table(table)} where ${condition} limit ${limit}
      )
    `.execute(tx)
    gone += Number(numAffectedRows)
    if (Number(numAffectedRows) < limit || pace.isOver(gone)) return gone
  }
}

/** What a unit may take on SQLite, where others wait for it and a statement stops the event loop. */
const unitMs = 10
const statementMs = 2

/**
 * How many rows the next statement of a unit deletes. SQLite reads every page of a text of a megabyte to
 * delete it: 100 of those took 0.2 s, 500 small rows a few milliseconds.
 */
class Pace {
  readonly #isPaced: boolean
  readonly #began = performance.now()
  #at = this.#began
  #limit = 4

  constructor(engine: Engine) {
    this.#isPaced = engine === 'sqlite'
  }

  next(most: number): number {
    if (!this.#isPaced) return most
    const now = performance.now()
    if (now - this.#at < statementMs) this.#limit *= 2
    else this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    this.#at = now
    return Math.min(this.#limit, most)
  }

  isOver(gone: number): boolean {
    return gone >= rowsAtOnce || performance.now() - this.#began >= unitMs
  }
}

/** Workspaces that were deleted before a moment and have no pending payment. */
export async function listPurgeable(reader: Reader, deletedBefore: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('workspaces')
    .select('id')
    .where('deleted_at', '<=', deletedBefore)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('payments')
            .select('payments.id')
            .whereRef('payments.workspace_id', '=', 'workspaces.id')
            .where('payments.status', '=', 'pending'),
        ),
      ),
    )
    .orderBy('deleted_at')
    .limit(100)
    .execute()
  return rows.map(({ id }) => id)
}

/** From here on the workspace cannot be restored. @returns false when it was restored meanwhile */
export async function beginPurge(
  tx: Tx,
  id: string,
  { deletedBefore, now }: { readonly deletedBefore: number; readonly now: number },
): Promise<boolean> {
  const begun = await tx
    .updateTable('workspaces')
    .set((e) => ({ purge_began_at: e.fn.coalesce('purge_began_at', e.val(now)) }))
    .where('id', '=', id)
    .where('deleted_at', '<=', deletedBefore)
    .returning('id')
    .executeTakeFirst()
  return begun !== undefined
}

export async function listAgentIds(reader: Reader, workspaceId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('agents')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteWorkspaceRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('workspaces').where('id', '=', id).execute()
}

/** Agents of live workspaces that were deleted before a moment and are not purged yet. */
export function listPurgeableAgents(
  reader: Reader,
  deletedBefore: number,
): Promise<{ id: string; workspace_id: string }[]> {
  return reader
    .selectFrom('agents')
    .innerJoin('workspaces', 'workspaces.id', 'agents.workspace_id')
    .select(['agents.id', 'agents.workspace_id'])
    .where('workspaces.deleted_at', 'is', null)
    .where('agents.deleted_at', '<=', deletedBefore)
    .where('agents.purged_at', 'is', null)
    .limit(100)
    .execute()
}

/** The agent's row stays: its orders refer to its name and number. */
export async function markAgentPurged(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('agents').set({ purged_at: now }).where('id', '=', id).execute()
}
