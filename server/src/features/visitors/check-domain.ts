import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { getChatPage, type ChatPage } from './chat-page.ts'
import { findServedPage, listDuePages } from './domain-store.ts'
import { proofOfDomain } from './page-address.ts'
import { findPage, updatePageRow, type PageRow } from './page-store.ts'

type CheckContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault' | 'dns' | 'log'>

/** People who press the button again get the result that they have. */
const pauseMs = 3000

/**
 * Checks now whether the domain of a page is proven.
 *
 * @throws Fault record_not_found, invalid_input for a page without a domain
 */
export async function checkDomainNow(
  ctx: CheckContext,
  workspaceId: string,
  appId: string,
): Promise<ChatPage> {
  const { id } = await requireAgent(ctx.db.read, workspaceId, appId)
  const row = await findPage(ctx.db.read, workspaceId, id)
  if (row === undefined || row.domain === null)
    throw new Fault(commonFaults.invalid_input, { issues: ['domain: none'] })
  if (ctx.clock.now() - (row.domain_checked_at ?? 0) >= pauseMs) await checkDomain(ctx, row)
  return await getChatPage(ctx, workspaceId, id)
}

/** Asks for the record of a page's domain, and serves the domain, or no longer. */
async function checkDomain(ctx: CheckContext, asked: PageRow): Promise<void> {
  const { domain } = asked
  if (domain === null) return
  const { name } = proofOfDomain(ctx, { workspaceId: asked.workspace_id, domain })
  const texts = await ctx.dns.textsOf(name)
  const lost = await ctx.db.write((tx) => noteTexts(tx, ctx, asked, texts))
  for (const agentId of lost)
    ctx.log.warn({ agentId, domain }, 'the domain of a chat page is no longer served')
}

/**
 * A step: stores what the records of a domain say about a page, and about the page that serves the
 * domain now. Only one page serves a domain.
 *
 * @param texts null if no server gave an answer, which proves nothing and disproves nothing
 * @returns the agents whose pages are no longer served at the domain
 */
async function noteTexts(
  tx: Tx,
  ctx: CheckContext,
  asked: PageRow,
  texts: readonly string[] | null,
): Promise<string[]> {
  const now = ctx.clock.now()
  const row = await findPage(tx, asked.workspace_id, asked.agent_id)
  const { domain } = asked
  // It was changed while the servers answered.
  if (row === undefined || domain === null || row.domain !== domain) return []
  const note = (to: PageRow, change: Partial<PageRow>) =>
    updatePageRow(tx, to.agent_id, { domain_checked_at: now, ...change })
  if (texts === null) {
    await note(row, { domain_problem: 'no_answer' })
    return []
  }
  if (!isProven(ctx, row, texts)) {
    const change = withoutProof(ctx, row, texts)
    await note(row, change)
    return change.domain_state === 'lost' ? [row.agent_id] : []
  }
  const holder = await findServedPage(tx, domain)
  const rival = holder?.agent_id === row.agent_id ? undefined : holder
  if (rival !== undefined && isProven(ctx, rival, texts)) {
    await note(row, { domain_problem: 'in_use' })
    return []
  }
  // Who owns the domain has replaced the record, so nothing speaks for a time of grace.
  if (rival !== undefined) await note(rival, { ...lostAt(now), domain_problem: 'other_record' })
  await note(row, { domain_state: 'served', domain_failing_since: null, domain_problem: null })
  return rival === undefined ? [] : [rival.agent_id]
}

function isProven(
  ctx: Pick<Context, 'vault'>,
  { workspace_id: workspaceId, domain }: PageRow,
  texts: readonly string[],
): boolean {
  const { value } = proofOfDomain(ctx, { workspaceId, domain: domain ?? '' })
  return texts.some((text) => text.trim() === value)
}

function lostAt(now: number) {
  return { domain_state: 'lost', domain_changed_at: now, domain_failing_since: null } as const
}

/** A page that was served stays so for some time: people change their records by mistake, too. */
function withoutProof(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { domain_state: state, domain_failing_since: failingSince }: PageRow,
  texts: readonly string[],
): Partial<PageRow> {
  const now = clock.now()
  const domain_problem = texts.length === 0 ? 'no_record' : 'other_record'
  if (state !== 'served') return { domain_problem }
  const since = failingSince ?? now
  if (now - since >= config.chatDomainGraceHours * hourMs) return { ...lostAt(now), domain_problem }
  return { domain_problem, domain_failing_since: since }
}

const batch = 100
/** Of a batch; a name whose servers do not answer takes seconds. */
const atOnce = 10
/** A domain that was never proven, or is lost, is checked for a week without being asked. */
const waitedForMs = 7 * 24 * hourMs
const states = ['served', 'waiting', 'lost'] as const

/** Checks every served domain hourly, and those that wait for their record. */
export const checkDomains = defineJob({
  kind: 'visitors.check_domains',
  input: z.object({}),
  everyMs: 10 * 60_000,
  maxAtOnce: 1,
  async run(ctx: CheckContext, _input, { signal }) {
    const now = ctx.clock.now()
    let isMore = false
    for (const state of states) {
      const changedAfter = state === 'served' ? 0 : now - waitedForMs
      const due = { state, checkedBefore: now - hourMs, changedAfter, limit: batch }
      const pages = await listDuePages(ctx.db.read, due)
      isMore ||= pages.length === batch
      const left = [...pages]
      const work = async () => {
        for (let page = left.shift(); page !== undefined && !signal.aborted; page = left.shift()) {
          const row = await findPage(ctx.db.read, page.workspace_id, page.agent_id)
          if (row !== undefined) await checkDomain(ctx, row)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    }
    if (isMore) return { runAgainAt: now }
    return undefined
  },
})
