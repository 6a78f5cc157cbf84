import { requireAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { analyticsFaults } from './analytics-faults.ts'
import {
  countMessages,
  countSessions,
  type MessageCountRow,
  type SessionCountRow,
} from './store.ts'

export interface AnalyticsCounts {
  /** Begun on that day. */
  readonly sessions: number
  /** Of both sides. */
  readonly messages: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** Answers that were cut short. */
  readonly errors: number
}

export interface AnalyticsDay extends AnalyticsCounts {
  /** `2026-01-31`, in UTC. */
  readonly date: string
}

export interface AppAnalytics {
  readonly agentId: string
  readonly from: string
  readonly to: string
  readonly totals: AnalyticsCounts
  /** The days on which anything happened, oldest first. */
  readonly days: readonly AnalyticsDay[]
}

export interface AnalyticsQuery {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** First and last day, both counted in: `2026-01-31`, in UTC. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const dayMs = 86_400_000
const usualDays = 30
/** Longer ranges would make an answer that no assistant can read. */
export const mostDays = 366

/**
 * What an agent was asked and answered, by day; the last thirty days by default.
 *
 * @throws Fault range_invalid; record_not_found for an agent that is not in the workspace
 */
export async function getAppAnalytics(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  query: AnalyticsQuery,
): Promise<AppAnalytics> {
  const { since, until } = rangeOf(query, ctx.clock.now())
  const agent = await requireAgent(ctx.db.read, workspaceId, query.appId)
  const counted = { workspaceId, agentId: agent.id, since, until }
  const [sessions, messages] = await Promise.all([
    countSessions(ctx.db.scan, counted),
    countMessages(ctx.db.scan, counted),
  ])
  const days = joinDays(sessions, messages)
  return {
    agentId: agent.id,
    from: dateOf(since),
    to: dateOf(until - dayMs),
    totals: sumOf(days),
    days,
  }
}

function rangeOf({ from, to }: AnalyticsQuery, now: number) {
  const last = to === undefined ? now - (now % dayMs) : Date.parse(to)
  const since = from === undefined ? last - (usualDays - 1) * dayMs : Date.parse(from)
  const days = (last - since) / dayMs + 1
  if (days < 1 || days > mostDays)
    throw new Fault(analyticsFaults.range_invalid, { most_days: mostDays })
  return { since, until: last + dayMs }
}

const nothing: AnalyticsCounts = {
  sessions: 0,
  messages: 0,
  promptTokens: 0,
  completionTokens: 0,
  errors: 0,
}

function joinDays(
  sessions: readonly SessionCountRow[],
  messages: readonly MessageCountRow[],
): AnalyticsDay[] {
  const days = new Map<number, AnalyticsCounts>()
  for (const row of messages)
    days.set(row.day, {
      sessions: 0,
      messages: row.messages,
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      errors: row.errors,
    })
  for (const row of sessions)
    days.set(row.day, { ...(days.get(row.day) ?? nothing), sessions: row.sessions })
  return [...days]
    .toSorted(([one], [other]) => one - other)
    .map(([day, counts]) => ({ date: dateOf(day * dayMs), ...counts }))
}

function sumOf(days: readonly AnalyticsCounts[]): AnalyticsCounts {
  return days.reduce(
    (sum, day) => ({
      sessions: sum.sessions + day.sessions,
      messages: sum.messages + day.messages,
      promptTokens: sum.promptTokens + day.promptTokens,
      completionTokens: sum.completionTokens + day.completionTokens,
      errors: sum.errors + day.errors,
    }),
    nothing,
  )
}

function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
