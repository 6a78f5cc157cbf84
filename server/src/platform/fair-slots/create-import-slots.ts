import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

/** An import holds a process with up to 512 MB. Few run, and few wait, each as long as two of them take. */
export function createImportSlots(): FairSlots {
  return createFairSlots({ slots: 2, maxWaiting: 10, maxWaitMs: 40_000 })
}
