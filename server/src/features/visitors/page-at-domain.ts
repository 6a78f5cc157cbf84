import type { Context } from '#platform/context.ts'
import { readPageSettings } from './chat-page-settings.ts'
import { pagesOfDomain } from './domain-store.ts'
import { domainOfHost } from './page-address.ts'

/** What is served at a domain that was proven once. */
export interface AtDomain {
  /** Null while no page is served there. */
  readonly appNameId: string | null
}

/** @returns null for a domain that nobody has proven, which may be another name of the service */
export async function pageAtDomain(
  { db }: Pick<Context, 'db'>,
  domain: string,
): Promise<AtDomain | null> {
  const rows = await db.prepared(pagesOfDomain).readShared({ domain })
  if (rows.length === 0) return null
  const served = rows.find(isServed)
  return { appNameId: served?.app_name_id ?? null }
}

type Row = Awaited<ReturnType<ReturnType<typeof pagesOfDomain>['execute']>>[number]

/** A page that is switched off or deleted keeps its domain from showing anything else. */
function isServed(row: Row): boolean {
  const exists = row.deleted_at === null && row.workspace_deleted_at === null
  return exists && row.domain_state === 'served' && readPageSettings(row.settings_json).enabled
}

/** Whether a page is served at a domain: a reverse proxy obtains certificates for no other. */
export async function isKnownDomain(ctx: Pick<Context, 'db'>, name: string): Promise<boolean> {
  const domain = domainOfHost(name)
  const at = domain === null ? null : await pageAtDomain(ctx, domain)
  return at !== null && at.appNameId !== null
}
