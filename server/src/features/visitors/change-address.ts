import { requireRecordRoom } from '#features/quotas/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { countDomainOfDay, findOwnRival } from './domain-store.ts'
import { domainOfHost } from './page-address.ts'
import { findPage, findPageOfSlug, updatePageRow, type PageRow } from './page-store.ts'
import { findHolderOfSlug, freeSlug, holdSlug } from './slug-store.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

export const noDomain = {
  domain: null,
  domain_state: null,
  domain_changed_at: null,
  domain_checked_at: null,
  domain_failing_since: null,
  domain_problem: null,
} as const

/**
 * A step. The name that the page gives up is held for its workspace, so that links with it do not lead to
 * the page of a stranger.
 *
 * @throws Fault invalid_input for a slug that another page has, or that is held for another workspace
 */
export async function changeOfSlug(
  tx: Tx,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { agent_id: agentId, workspace_id: workspaceId, slug: before }: PageRow,
  wanted: string,
): Promise<Partial<PageRow>> {
  const slug = wanted === '' ? null : wanted
  if (slug === before) return {}
  const now = clock.now()
  const heldSince = now - config.slugHoldDays * dayMs
  if (slug !== null) {
    const found = await findPageOfSlug(tx, slug)
    const holder = await findHolderOfSlug(tx, slug, heldSince)
    const isHeld = holder !== undefined && holder.workspace_id !== workspaceId
    if (isHeld || (found !== undefined && found.agent_id !== agentId))
      throw refused('slug: is already taken')
    await freeSlug(tx, slug)
  }
  if (before !== null)
    await holdSlug(tx, { slug: before, workspaceId, now, heldSince, most: config.slugsHeld })
  return { slug }
}

/**
 * A step. Several workspaces can enter a domain; only one that proves it serves it.
 *
 * @throws Fault limit_reached, domains_limited, invalid_input
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
  await countDomain(tx, ctx, workspaceId)
  const domain_changed_at = ctx.clock.now()
  // 0 stands for never, so that an index finds those that are due.
  return { ...noDomain, domain, domain_state: 'waiting', domain_changed_at, domain_checked_at: 0 }
}

/** A step: the page of a deleted agent gives up its addresses, for other pages. */
export async function giveUpAddresses(
  tx: Tx,
  ctx: Pick<Context, 'config' | 'clock'>,
  { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string },
): Promise<void> {
  const row = await findPage(tx, workspaceId, agentId)
  if (row === undefined) return
  await updatePageRow(tx, agentId, { ...(await changeOfSlug(tx, ctx, row, '')), ...noDomain })
}

/** A step: each new domain may make the reverse proxy order a certificate. @throws Fault domains_limited */
async function countDomain(
  tx: Tx,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  workspaceId: string,
): Promise<void> {
  const { chatDomainsPerDay: limit } = config
  if (limit === null) return
  const now = clock.now()
  const day = Math.floor(now / dayMs)
  if ((await countDomainOfDay(tx, workspaceId, day)) <= limit) return
  const retryAfterSeconds = Math.ceil(((day + 1) * dayMs - now) / 1000)
  throw new Fault(faults.domains_limited, { limit, retryAfterSeconds })
}

function refused(issue: string): Fault {
  return new Fault(commonFaults.invalid_input, { issues: [issue] })
}
