import type { Config } from '#config'
import { createFairSlots } from './create-fair-slots.ts'
import type { FairSlots } from './fair-slots.ts'

/**
 * An upload has up to a megabyte in memory, for as long as it arrives. As many again are for other
 * workspaces: none has more than half.
 */
export function createUploadSlots(
  config: Pick<Config, 'chatUploadsAtOnce' | 'importsWaiting' | 'importWaitMs'>,
): FairSlots {
  return createFairSlots({
    slots: config.chatUploadsAtOnce,
    balancing: config.chatUploadsAtOnce,
    maxWaiting: config.importsWaiting,
    maxWaitMs: config.importWaitMs,
  })
}
