import type { Config } from '#config'
import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

/** Beyond either, a message begins anyway. */
const maxWaiting = 10_000
const maxWaitMs = 1_000

/**
 * The messages of visitors that begin at the same time: enough to share a commit, and few enough that
 * those who come first are answered first.
 */
export function createVisitorSlots(config: Pick<Config, 'visitorMessagesAtOnce'>): FairSlots {
  const { visitorMessagesAtOnce: slots } = config
  return createFairSlots({ slots, balancing: slots, maxWaiting, maxWaitMs })
}
