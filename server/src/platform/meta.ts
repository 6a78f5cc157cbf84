import type { Reader, Tx } from '#platform/db/database.ts'

/**
 * What a database knows of itself: decided once, then the same for every process that opens it.
 */
export type MetaKey =
  /** Which secret key its sealed values need. */
  | 'secret_key_fingerprint'
  /** The id of the demo agent, or `none` where it was not wanted. */
  | 'demo_agent_id'
  /** When the demo agent knew every page. */
  | 'demo_taught_at'
  /** When the first start printed the demo agent's key. */
  | 'welcomed_at'

export async function readMeta(reader: Reader, key: MetaKey): Promise<string | undefined> {
  const row = await reader
    .selectFrom('meta')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.value
}

/** A step. @returns false when it was decided before, also by another process at the same moment */
export async function decideMeta(tx: Tx, key: MetaKey, value: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}
