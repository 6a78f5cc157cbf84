import { dayMs } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { takeMessages } from './budget-store.ts'
import type { OpenPage } from './open-page.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

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
 * Counts a message of a visitor if `unit` accepts it; each of its files counts like another message. It is
 * counted first, so that messages that come at the same time never exceed the budget.
 *
 * @throws Fault daily_budget_used; and what `unit` throws
 */
export async function countingMessage<T>(
  ctx: Pick<Context, 'db' | 'clock'>,
  page: OpenPage,
  messages: number,
  unit: () => Promise<T>,
): Promise<T> {
  const day = Math.floor(ctx.clock.now() / dayMs)
  await take(ctx, page, day, messages)
  try {
    return await unit()
  } catch (error) {
    keep(ctx.db, page.agentId, { day, left: messages })
    throw error
  }
}

/** All of them or none. @throws Fault daily_budget_used */
async function take(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { agentId, settings }: OpenPage,
  day: number,
  messages: number,
): Promise<void> {
  if (spend(db, agentId, day, messages)) return
  const budget = settings.daily_messages
  const wanted = Math.min(mostAtOnce, Math.max(1, Math.floor(budget * partOfBudget)))
  const taking = { agentId, day, budget, wanted: Math.max(messages, wanted) }
  const taken = await db.write((tx) => takeMessages(tx, taking))
  if (taken > 0) keep(db, agentId, { day, left: taken })
  if (spend(db, agentId, day, messages)) return
  const retryAfterSeconds = Math.ceil(((day + 1) * dayMs - clock.now()) / 1000)
  throw new Fault(faults.daily_budget_used, { limit: budget, retryAfterSeconds })
}

/** Whether this process had so many left; in one step, so that no two messages use the same. */
function spend(db: Database, agentId: string, day: number, messages: number): boolean {
  const block = blocks.get(db)?.get(agentId)
  if (block?.day !== day || block.left < messages) return false
  block.left -= messages
  return true
}

/** The most agents whose blocks are kept; the oldest block is dropped first. */
const mostAgents = 10_000

/** Adds messages of a day to what this process has. */
function keep(db: Database, agentId: string, { day, left }: Block): void {
  const held = blocks.get(db) ?? new Map<string, Block>()
  blocks.set(db, held)
  const before = held.get(agentId)
  // The unit of a message of yesterday may end today.
  if (before !== undefined && before.day > day) return
  held.delete(agentId)
  held.set(agentId, { day, left: left + (before?.day === day ? before.left : 0) })
  const oldest = held.size > mostAgents ? held.keys().next().value : undefined
  if (oldest !== undefined) held.delete(oldest)
}
