import type { Config } from '#config'
import { createLogger } from '#platform/log.ts'

/** A command writes its own output, so it logs only if LOG_LEVEL is debug or trace. */
export function quietLog(config: Config) {
  const isRequested = config.logLevel === 'debug' || config.logLevel === 'trace'
  return createLogger(isRequested ? config : { ...config, logLevel: 'silent' })
}
