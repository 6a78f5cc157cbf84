import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { findSeat, listAgentsByIds, updateSeat, type Member } from './store.ts'

/** A further pin removes the oldest one. */
const maxPinnedAgents = 50

const storedPins = z.array(z.string())

async function readPins(reader: Reader, member: Member): Promise<string[]> {
  const seat = await findSeat(reader, member)
  return storedPins.parse(JSON.parse(seat?.pinned_agents_json ?? '[]'))
}

/** The agents that a member pinned, in the order of pinning. */
export async function listPinnedAgents(ctx: Pick<Context, 'db'>, member: Member) {
  const pins = await readPins(ctx.db.read, member)
  if (pins.length === 0) return []
  const rows = await listAgentsByIds(ctx.db.read, member.workspaceId, pins)
  return rows
    .map(({ id, app_name_id: appNameId, name }) => ({ id, appNameId, name }))
    .toSorted((one, other) => pins.indexOf(one.id) - pins.indexOf(other.id))
}

/** @throws Fault record_not_found */
export async function pinAgent(
  ctx: Pick<Context, 'db'>,
  member: Member,
  { appId, pinned }: { readonly appId: string; readonly pinned: boolean },
): Promise<void> {
  await ctx.db.write(async (tx) => {
    const { id } = await requireAgent(tx, member.workspaceId, appId)
    const others = (await readPins(tx, member)).filter((one) => one !== id)
    const pins = pinned ? [...others, id].slice(-maxPinnedAgents) : others
    await updateSeat(tx, member, { pinned_agents_json: JSON.stringify(pins) })
  })
}
