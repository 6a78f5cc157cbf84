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
import { countAll, countedLimits } from './count-records.ts'
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
  const counted = await countAll(ctx.db.report, workspaceId, ctx.clock.now())
  return [
    useOf(ctx, 'workspaces_per_person', live),
    ...countedLimits.map((limit) => {
      const { count = 0, agentId = null } = counted.get(limit) ?? {}
      return useOf(ctx, limit, count, agentId)
    }),
  ]
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
