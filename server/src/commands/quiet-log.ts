import type { Config } from '#config'
import { createLogger } from '#platform/log.ts'

/** A command answers on stdout and stderr itself; the log joins in only when it is asked for. */
export function quietLog(config: Config) {
  const asked = config.logLevel === 'debug' || config.logLevel === 'trace'
  return createLogger(asked ? config : { ...config, logLevel: 'silent' })
}
