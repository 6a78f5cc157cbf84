import { requireRecordRoom } from '#features/quotas/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { findOwnRival } from './domain-store.ts'
import { domainOfHost } from './page-address.ts'
import { findPageOfSlug, type PageRow } from './page-store.ts'

export const noDomain = {
  domain: null,
  domain_state: null,
  domain_changed_at: null,
  domain_checked_at: null,
  domain_failing_since: null,
  domain_problem: null,
} as const

/** A step. @throws Fault invalid_input for a slug that another page has */
export async function changeOfSlug(
  tx: Tx,
  { agent_id: agentId }: PageRow,
  slug: string,
): Promise<Partial<PageRow>> {
  if (slug === '') return { slug: null }
  const found = await findPageOfSlug(tx, slug)
  if (found !== undefined && found.agent_id !== agentId) throw refused('slug: is already taken')
  return { slug }
}

/**
 * A step. Several workspaces can enter a domain; only one that proves it serves it.
 *
 * @throws Fault limit_reached, invalid_input
 */
export async function changeOfDomain(
  tx: Tx,
  ctx: Pick<Context, 'config' | 'clock'>,
  { agent_id: agentId, workspace_id: workspaceId, domain: before }: PageRow,
  domain: string,
): Promise<Partial<PageRow>> {
  if (domain === '') return noDomain
  if (domain === before) return {}
  if (domain === domainOfHost(new URL(ctx.config.baseUrl).host))
    throw refused('domain: is the address of this service')
  if ((await findOwnRival(tx, { workspaceId, agentId, domain })) !== undefined)
    throw refused('domain: belongs to another agent of this workspace')
  if (before === null) await requireRecordRoom(tx, ctx, 'domains_per_workspace', workspaceId)
  const domain_changed_at = ctx.clock.now()
  // 0 stands for never, so that an index finds those that are due.
  return { ...noDomain, domain, domain_state: 'waiting', domain_changed_at, domain_checked_at: 0 }
}

function refused(issue: string): Fault {
  return new Fault(commonFaults.invalid_input, { issues: [issue] })
}
