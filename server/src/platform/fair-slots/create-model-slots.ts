import type { Config } from '#config'
import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

/** As many slots again for other workspaces: one that floods the providers never holds more than half. */
export function createModelSlots(
  config: Pick<Config, 'modelCallsAtOnce' | 'modelCallsWaiting' | 'modelCallWaitMs'>,
): FairSlots {
  return createFairSlots({
    slots: config.modelCallsAtOnce,
    balancing: config.modelCallsAtOnce,
    maxWaiting: config.modelCallsWaiting,
    maxWaitMs: config.modelCallWaitMs,
  })
}
