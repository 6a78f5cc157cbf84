import type { Context } from '#platform/context.ts'
import { findEventIds } from './chain-store.ts'
import type { EventContent } from './event-macs.ts'
import { hasPurgeBegun } from './purge-events.ts'
import { recordSystemEvent } from './record-event.ts'

/** `verifyChains` reports each event with this action. */
export const missingAction = 'audit.event_missing'

const eventsAtOnce = 200

/**
 * Records which events were committed by this process and are gone. Only sealed events are missed by
 * their chain; until then the process that recorded them is the witness.
 *
 * @param ctx with a database that signs
 * @param witnessed the events that this process has recorded since it last looked
 */
export async function recordMissing(
  ctx: Pick<Context, 'db' | 'clock' | 'vault' | 'log'>,
  witnessed: readonly EventContent[],
): Promise<void> {
  for (let at = 0; at < witnessed.length; at += eventsAtOnce) {
    const part = witnessed.slice(at, at + eventsAtOnce)
    const ids = part.map(({ id }) => id)
    const found = new Set(await findEventIds(ctx.db.read, ids))
    for (const event of part) if (!found.has(event.id)) await recordOne(ctx, event)
  }
}

async function recordOne(
  { db, clock, vault, log }: Parameters<typeof recordMissing>[0],
  { id, workspace_id: workspaceId = null, user_id, action, target, created_at }: EventContent,
): Promise<void> {
  const detail = { action, target, user_id, at: new Date(created_at).toISOString() }
  const isMissing = await db.write(async (tx) => {
    // Read again: a read outside a unit may be older.
    if ((await findEventIds(tx, [id])).length > 0) return false
    if (workspaceId !== null && (await hasPurgeBegun({ vault }, workspaceId, tx))) return false
    const event = { workspaceId, action: missingAction, target: id, detail }
    await recordSystemEvent(tx, clock.now(), event)
    return true
  })
  if (isMissing) log.error({ id, action }, 'an audit event was deleted before it was sealed')
}
