import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** What belongs to an account alone. Tokens of grants are deleted with them. */
const ownTables = [
  'sign_in_sessions',
  'half_sign_ins',
  'factor_challenges',
  'second_factors',
  'recovery_codes',
  'external_identities',
  'email_links',
  'setup_links',
  'authorization_requests',
  'oauth_grants',
] as const satisfies readonly (keyof Schema)[]

/** Columns that name the author of something that stays. */
const namedBy = {
  memberships: 'user_id',
  api_keys: 'user_id',
  known_secrets: 'user_id',
  agent_versions: 'author_id',
  agent_drafts: 'author_id',
} as const satisfies Partial<Record<keyof Schema, string>>

const isMember = sql<boolean>`exists (select 1 from memberships where memberships.user_id = users.id)`

/** No operator vouched for them, and none disabled them. */
const prunable = sql<boolean>`email_proof in ('mailbox', 'provider') and disabled_at is null`

/** Accounts that may be pruned one day, in the order of their ids; 1 is true. */
export async function listAccounts(reader: Reader, after: string, limit: number) {
  const { rows } = await sql<{ id: string; is_marked: number; is_member: number }>`
    select id,
      case when without_workspace_since is null then 0 else 1 end as is_marked,
      case when ${isMember} then 1 else 0 end as is_member
    from users where id > ${after} and ${prunable} order by id limit ${sql.lit(limit)}
  `.execute(reader)
  return rows
}

export type Membership = 'left' | 'joined'

/** A step: checks each account again, because people join and leave at any time. */
export async function markAccounts(
  tx: Tx,
  ids: readonly string[],
  membership: Membership,
  now: number,
): Promise<void> {
  const { since, where } =
    membership === 'left'
      ? { since: now, where: sql<boolean>`without_workspace_since is null and not ${isMember}` }
      : { since: null, where: isMember }
  await tx
    .updateTable('users')
    .set({ without_workspace_since: since })
    .where('id', 'in', ids)
    .where(where)
    .execute()
}

/** Accounts that have belonged to no workspace since a time or longer, in the order of their ids. */
export async function listUnusedAccounts(
  reader: Reader,
  before: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('users')
    .select('id')
    .where('without_workspace_since', '<=', before)
    .where('id', '>', after)
    .where(prunable)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * A step. Like the purge of workspaces, it writes tables of other features.
 *
 * @returns the e-mail of the account; null if it stays, because it belongs to a workspace again or other
 *   records name it
 */
export async function deleteAccount(tx: Tx, id: string, before: number): Promise<string | null> {
  const named = Object.entries(namedBy).map(
    ([table, column]) => sql`not exists (
      select 1 from ${sql.table(table)} where ${sql.ref(column)} = users.id
    )`,
  )
  const { rows } = await sql<{ email: string }>`
    select email from users
    where id = ${id} and without_workspace_since <= ${before} and ${prunable}
      and ${sql.join(named, sql` and `)}
      and not exists (
        select 1 from invitations where invited_by = users.id or accepted_by = users.id
      )
      and not exists (
        select 1 from workspaces where deleted_by = users.id or billing_user_id = users.id
      )
  `.execute(tx)
  const [found] = rows
  if (found === undefined) return null
  for (const table of ownTables)
    await sql`delete from ${sql.table(table)} where user_id = ${id}`.execute(tx)
  await tx.deleteFrom('users').where('id', '=', id).execute()
  return found.email
}
