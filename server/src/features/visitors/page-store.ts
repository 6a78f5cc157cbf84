import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { sealedMark } from './page-link.ts'

/** The one read of every visitor's request: page, agent and plan. */
export const pageOfName = (db: Kysely<Schema>, given: { name: string }) =>
  pages(db).where('agent.app_name_id', '=', given.name)

export const pageOfSlug = (db: Kysely<Schema>, given: { slug: string }) =>
  pages(db).where('page.slug', '=', given.slug)

export const pageOfKey = (db: Kysely<Schema>, given: { key: string }) =>
  pages(db).where('page.widget_key', '=', given.key)

const pages = (db: Kysely<Schema>) =>
  db
    .selectFrom('agents as agent')
    .innerJoin('chat_pages as page', 'page.agent_id', 'agent.id')
    .innerJoin('workspaces as workspace', 'workspace.id', 'agent.workspace_id')
    .where('agent.deleted_at', 'is', null)
    .where('workspace.deleted_at', 'is', null)
    .select([
      'agent.id as agent_id',
      'agent.workspace_id',
      'agent.app_name_id',
      'agent.settings_json as agent_settings_json',
      'page.settings_json',
      'page.slug',
      'page.link_token',
      'page.identity_sealed',
      'page.generation',
      'workspace.plan',
    ])

export type OpenPageRow = Awaited<ReturnType<ReturnType<typeof pageOfName>['execute']>>[number]

export type PageRow = Selectable<Schema['chat_pages']>

export function findPage(reader: Reader, workspaceId: string, agentId: string) {
  return reader
    .selectFrom('chat_pages')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
}

export async function insertPage(tx: Tx, row: Insertable<Schema['chat_pages']>): Promise<void> {
  await tx.insertInto('chat_pages').values(row).execute()
}

export async function updatePageRow(
  tx: Tx,
  agentId: string,
  change: Updateable<Schema['chat_pages']>,
): Promise<void> {
  await tx.updateTable('chat_pages').set(change).where('agent_id', '=', agentId).execute()
}

export function findPageOfSlug(reader: Reader, slug: string) {
  return reader
    .selectFrom('chat_pages')
    .select('agent_id')
    .where('slug', '=', slug)
    .executeTakeFirst()
}

/** Links that a version before stored in clear text. */
export function listOpenLinks(reader: Reader, after: string, limit: number) {
  return reader
    .selectFrom('chat_pages')
    .select(['agent_id', 'link_token'])
    .where('link_token', 'not like', `${sealedMark}%`)
    .where('agent_id', '>', after)
    .orderBy('agent_id')
    .limit(limit)
    .execute()
}

/** A step: stores a link sealed, unless it was replaced meanwhile. */
export async function replaceLink(
  tx: Tx,
  agentId: string,
  { link, sealed }: { readonly link: string; readonly sealed: string },
): Promise<void> {
  await tx
    .updateTable('chat_pages')
    .set({ link_token: sealed })
    .where('agent_id', '=', agentId)
    .where('link_token', '=', link)
    .execute()
}
