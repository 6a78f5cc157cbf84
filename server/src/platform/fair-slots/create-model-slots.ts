import type { Config } from '#config'
import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

export function createModelSlots(
  config: Pick<Config, 'modelCallsAtOnce' | 'modelCallsWaiting' | 'modelCallWaitMs'>,
): FairSlots {
  return createFairSlots({
    slots: config.modelCallsAtOnce,
    maxWaiting: config.modelCallsWaiting,
    maxWaitMs: config.modelCallWaitMs,
  })
}
