import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

/** Enough to share a commit, and few enough that those who come first are answered first. */
const slots = 32
const maxWaiting = 10_000
const maxWaitMs = 1_000

/** The messages of visitors that begin at the same time. */
export function createVisitorSlots(): FairSlots {
  return createFairSlots({ slots, maxWaiting, maxWaitMs })
}
