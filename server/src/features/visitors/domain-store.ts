import type { Kysely } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type State = NonNullable<Schema['chat_pages']['domain_state']>

/** Whose page a domain is, for the check that runs before every route. */
export const pagesOfDomain = (db: Kysely<Schema>, given: { domain: string }) =>
  db
    .selectFrom('chat_pages as page')
    .innerJoin('agents as agent', 'agent.id', 'page.agent_id')
    .innerJoin('workspaces as workspace', 'workspace.id', 'page.workspace_id')
    .where('page.domain', '=', given.domain)
    .where('page.domain_state', 'in', ['served', 'lost'])
    .select([
      'agent.app_name_id',
      'agent.deleted_at',
      'workspace.deleted_at as workspace_deleted_at',
      'page.domain_state',
      'page.settings_json',
    ])

/** The domains of all pages whose pages may be shown there. */
export const provenDomains = (db: Kysely<Schema>, given: { limit: number }) =>
  db
    .selectFrom('chat_pages')
    .where('domain_state', 'in', ['served', 'lost'])
    .select('domain')
    .limit(given.limit)

/** The page that serves a domain. */
export function findServedPage(reader: Reader, domain: string) {
  return reader
    .selectFrom('chat_pages')
    .selectAll()
    .where('domain', '=', domain)
    .where('domain_state', '=', 'served')
    .executeTakeFirst()
}

/** Another page of the workspace with this domain. */
export function findOwnRival(
  reader: Reader,
  { workspaceId, agentId, domain }: Readonly<Record<'workspaceId' | 'agentId' | 'domain', string>>,
) {
  return reader
    .selectFrom('chat_pages')
    .select('agent_id')
    .where('workspace_id', '=', workspaceId)
    .where('domain', '=', domain)
    .where('agent_id', '<>', agentId)
    .executeTakeFirst()
}

interface Due {
  readonly state: State
  /** Checked before this time, or never. */
  readonly checkedBefore: number
  /** Entered or lost after this time. */
  readonly changedAfter: number
  readonly limit: number
}

/** Pages whose domains are to be checked, of every workspace. */
export function listDuePages(reader: Reader, { state, checkedBefore, changedAfter, limit }: Due) {
  return reader
    .selectFrom('chat_pages')
    .select(['workspace_id', 'agent_id'])
    .where('domain_state', '=', state)
    .where('domain_checked_at', '<', checkedBefore)
    .where('domain_changed_at', '>', changedAfter)
    .orderBy('domain_checked_at')
    .limit(limit)
    .execute()
}

/** A step: counts a domain that a workspace enters. @returns how many it has entered on this day */
export async function countDomainOfDay(tx: Tx, workspaceId: string, day: number): Promise<number> {
  const row = await tx
    .selectFrom('chat_domain_days')
    .select(['day', 'domains'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const domains = row?.day === day ? row.domains + 1 : 1
  await tx
    .insertInto('chat_domain_days')
    .values({ workspace_id: workspaceId, day, domains })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ day, domains }))
    .execute()
  return domains
}
