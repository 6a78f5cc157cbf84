import type { Config } from '#config'
import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

/** An import uses a process with up to 512 MB. As many again are for other workspaces: none has more than half. */
export function createImportSlots(
  config: Pick<Config, 'importsAtOnce' | 'importsWaiting' | 'importWaitMs'>,
): FairSlots {
  return createFairSlots({
    slots: config.importsAtOnce,
    balancing: config.importsAtOnce,
    maxWaiting: config.importsWaiting,
    maxWaitMs: config.importWaitMs,
  })
}
