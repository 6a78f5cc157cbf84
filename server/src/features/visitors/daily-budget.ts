import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { takeMessages } from './budget-store.ts'
import type { OpenPage } from './open-page.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

const dayMs = 86_400_000
/** A process takes this part of a budget at a time; what is left at its end is lost. */
const partOfBudget = 1 / 100
const mostAtOnce = 20

interface Block {
  readonly day: number
  left: number
}

/** Messages that this process has taken and not used, by agent. */
const blocks = new WeakMap<Database, Map<string, Block>>()

/**
 * Counts a message of a visitor; each of its files counts like another message.
 *
 * @throws Fault daily_budget_used
 */
export async function countMessage(
  ctx: Pick<Context, 'db' | 'clock'>,
  page: OpenPage,
  messages: number,
): Promise<void> {
  for (let n = 0; n < messages; n += 1) await countOne(ctx, page)
}

/** @throws Fault daily_budget_used */
async function countOne(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { agentId, settings }: OpenPage,
): Promise<void> {
  const budget = settings.daily_messages
  const now = clock.now()
  const day = Math.floor(now / dayMs)
  const held = blocks.get(db) ?? new Map<string, Block>()
  blocks.set(db, held)
  const block = held.get(agentId)
  if (block?.day === day && block.left > 0) {
    block.left -= 1
    return
  }
  const wanted = Math.min(mostAtOnce, Math.max(1, Math.floor(budget * partOfBudget)))
  const taken = await db.write((tx) => takeMessages(tx, { agentId, day, budget, wanted }))
  if (taken === 0) {
    held.delete(agentId)
    const retryAfterSeconds = Math.ceil(((day + 1) * dayMs - now) / 1000)
    throw new Fault(faults.daily_budget_used, { limit: budget, retryAfterSeconds })
  }
  keep(held, agentId, { day, left: taken - 1 })
}

/** The most agents whose blocks are kept; the oldest block is dropped first. */
const mostAgents = 10_000

function keep(held: Map<string, Block>, agentId: string, block: Block): void {
  const before = held.get(agentId)
  held.delete(agentId)
  // Another message may have taken a block in the meantime.
  const left = block.left + (before?.day === block.day ? before.left : 0)
  held.set(agentId, { day: block.day, left })
  const oldest = held.size > mostAgents ? held.keys().next().value : undefined
  if (oldest !== undefined) held.delete(oldest)
}
