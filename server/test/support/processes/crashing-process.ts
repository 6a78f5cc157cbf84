import { readConfig } from '#config'
import { createLogger } from '#platform/log.ts'
import { logCrash } from '../../../src/commands/serving/log-crash.ts'

/**
 * Crashes as the service would: with an error that quotes its first argument, thrown or, with
 * `rejected` as the second, in a promise that nothing handles.
 */
const [, , quoted = '', how = 'thrown'] = process.argv
logCrash(createLogger(readConfig(process.env)))
const error = new Error(`refused: ${quoted}`, { cause: new Error(`because of ${quoted}`) })
if (how === 'rejected') void Promise.reject(error)
else
  setImmediate(() => {
    throw error
  })
