import { requireAgent } from '#features/agents/index.ts'
import { dayMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import type { OpenPage } from './open-page.ts'
import { addWidgetLoads, listWidgetLoads, type WidgetLoads } from './widget-load-store.ts'

const keptDays = 90

/** Loads that wait for the write before them, by database and agent. */
const waiting = new WeakMap<Database, Map<string, WidgetLoads>>()

/**
 * Counts that a site has loaded the widget, or that a visitor has opened it there. While one write is
 * made, further ones are collected, so that a busy site costs no more than one write at a time.
 */
export async function countWidgetLoad(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  { agentId, workspaceId, settings }: OpenPage,
  given: { readonly origin: string; readonly loads: number; readonly visits: number },
): Promise<void> {
  const { db, clock } = ctx
  const day = Math.floor(clock.now() / dayMs)
  const origin = settings.widget_origins.includes(given.origin) ? given.origin : ''
  const held = waiting.get(db)
  const all = held ?? new Map<string, WidgetLoads>()
  const key = `${agentId} ${day} ${origin}`
  const before = all.get(key)
  const loads = (before?.loads ?? 0) + given.loads
  const visits = (before?.visits ?? 0) + given.visits
  all.set(key, { agent_id: agentId, workspace_id: workspaceId, day, origin, loads, visits })
  if (held !== undefined) return
  waiting.set(db, all)
  try {
    while (all.size > 0) {
      const rows = [...all.values()]
      all.clear()
      await addByWorkspace(ctx, rows, day - keptDays)
    }
  } finally {
    waiting.delete(db)
  }
}

/** On SQLite, all other writes wait for a unit. */
const rowsPerUnit = 50

/** Each workspace uses its own share of the writer. */
async function addByWorkspace(
  ctx: Pick<Context, 'db' | 'log'>,
  rows: readonly WidgetLoads[],
  before: number,
): Promise<void> {
  for (const [workspaceId, own] of Map.groupBy(rows, (row) => row.workspace_id))
    for (let at = 0; at < own.length; at += rowsPerUnit) {
      const some = own.slice(at, at + rowsPerUnit)
      await ctx.db.forTenant(workspaceId, () => addLoads(ctx, some, before))
    }
}

/** Rows that cannot be stored together are stored one by one: an agent may just have been deleted. */
async function addLoads(
  ctx: Pick<Context, 'db' | 'log'>,
  rows: readonly WidgetLoads[],
  before: number,
): Promise<void> {
  try {
    await ctx.db.write((tx) => addWidgetLoads(tx, rows, before))
  } catch (error) {
    const [{ agent_id: agentId } = { agent_id: null }] = rows
    if (rows.length === 1)
      ctx.log.warn({ err: error, agentId }, 'loads of a widget were not counted')
    else for (const row of rows) await addLoads(ctx, [row], before)
  }
}

/** How often each site has loaded the widget in the last days; the empty origin is for refused sites. */
export async function widgetUse(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  appId: string,
  days: number,
) {
  const { id } = await requireAgent(db.read, workspaceId, appId)
  const since = Math.floor(clock.now() / dayMs) - days + 1
  return await listWidgetLoads(db.read, { workspaceId, agentId: id, since })
}
