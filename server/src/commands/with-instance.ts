import { readConfig } from '#config'
import { openInstance, type Instance } from '#compose'
import type { Terminal } from './command.ts'
import { initialise } from './initialise.ts'
import { inPlainWords } from './plain-words.ts'
import { quietLog } from './quiet-log.ts'

/**
 * Runs one piece of work on the instance that the environment describes, then closes it. An empty
 * database is made ready first, as at a start.
 */
export async function withInstance<T>(
  { environment }: Terminal,
  work: (instance: Instance) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment)
  const instance = await inPlainWords(config, () => openInstance(config, quietLog(config)))
  try {
    await initialise(instance.ctx, { printsLink: false })
    return await work(instance)
  } finally {
    await instance.close()
  }
}
