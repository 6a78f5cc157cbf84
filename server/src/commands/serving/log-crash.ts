import type { Logger } from 'pino'

/**
 * Logs the error that ends the process, then ends it. Node would print the error as it is; the log
 * masks the secrets that an error of another service may quote.
 */
export function logCrash(log: Pick<Logger, 'fatal'>): void {
  process.once('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'crashed')
    process.exit(1)
  })
}
