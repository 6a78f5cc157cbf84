import type { Reader, Tx } from '#platform/db/database.ts'

/** A fact about a database, decided once and then the same for every process that opens it. */
export type MetaKey =
  /** The fingerprint of the secret key that sealed its values. */
  | 'secret_key_fingerprint'
  /** The id of the demo agent, or `none` when it was not wanted. */
  | 'demo_agent_id'
  /** When the demo agent had every page as a source. */
  | 'demo_taught_at'
  /** When the first start printed the demo agent's key. */
  | 'welcomed_at'
  /** When the audit log got its first head. From then on a missing head was deleted. */
  | 'audit_log_begun_at'

export async function readMeta(reader: Reader, key: MetaKey): Promise<string | undefined> {
  const row = await reader
    .selectFrom('meta')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.value
}

/** @returns false when it was decided before, even by another process at the same moment */
export async function decideMeta(tx: Tx, key: MetaKey, value: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}
