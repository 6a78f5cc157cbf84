import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import {
  allowedOf,
  fixedLimits,
  isLimitName,
  limits,
  type FixedLimitName,
  type LimitName,
} from '#kernel/limits.ts'
import type { Context } from '#platform/context.ts'
import { countedRecords, countOf, mostOfAgents, type CountedLimit } from './count-records.ts'
import { countWorkspacesOf } from './workspace-count-store.ts'

/** What is used of a limit. */
export interface LimitUse {
  readonly limit: LimitName | FixedLimitName
  readonly things: string
  readonly per: 'person' | 'workspace' | 'agent'
  readonly used: number
  /** Null is unlimited. */
  readonly allowed: number | null
  /** Of a limit per agent: the agent that uses the most of it. */
  readonly agentId: string | null
}

type LimitContext = Pick<Context, 'db' | 'clock' | 'config'>

const place = z.tuple([z.string().max(100)])

/** A page of what a workspace, and the person who asks, use of each limit. */
export async function listLimits(
  ctx: LimitContext,
  member: { readonly userId: string; readonly workspaceId: string },
  { limit, cursor }: PageRequest,
): Promise<Page<LimitUse>> {
  const [after] = readCursor(cursor, place) ?? []
  const uses = await listUses(ctx, member)
  const from = uses.findIndex((use) => use.limit === after) + 1
  return pageOf(uses.slice(from, from + limit + 1), limit, {
    key: (use): z.output<typeof place> => [use.limit],
    item: (use) => use,
  })
}

async function listUses(
  ctx: LimitContext,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
): Promise<LimitUse[]> {
  const { live } = await countWorkspacesOf(ctx.db.read, userId)
  const uses = [useOf(ctx, 'workspaces_per_person', live)]
  for (const limit of recordLimits) uses.push(await useOfRecords(ctx, limit, workspaceId))
  return uses
}

// The table has exactly these keys.
const recordLimits = Object.keys(countedRecords) as CountedLimit[]

async function useOfRecords(
  ctx: LimitContext,
  limit: CountedLimit,
  workspaceId: string,
): Promise<LimitUse> {
  const now = ctx.clock.now()
  if (countedRecords[limit].by === 'workspace_id')
    return useOf(ctx, limit, await countOf(ctx.db.report, limit, workspaceId, now))
  const most = await mostOfAgents(ctx.db.report, limit, workspaceId, now)
  return useOf(ctx, limit, most?.count ?? 0, most?.agentId ?? null)
}

function useOf(
  { config }: Pick<Context, 'config'>,
  limit: Exclude<LimitName, 'messages_per_conversation'> | FixedLimitName,
  used: number,
  agentId: string | null = null,
): LimitUse {
  const { things, per } = isLimitName(limit) ? limits[limit] : fixedLimits[limit]
  const allowed = isLimitName(limit) ? allowedOf(config, limit) : fixedLimits[limit].most
  return { limit, things, per, used, allowed, agentId }
}
