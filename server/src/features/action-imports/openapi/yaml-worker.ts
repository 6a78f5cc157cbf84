import { parse } from 'yaml'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** Parses one YAML document in a process of its own: the library takes seconds for a long one. */
export const runTask: TaskRunner = async function* (_task, bytes) {
  const text = Buffer.concat(await Array.fromAsync(bytes)).toString()
  yield { value: read(text) ?? null }
}

function read(text: string): unknown {
  try {
    // The library refuses aliases that multiply.
    return parse(text, { maxAliasCount: 100, logLevel: 'error' })
  } catch {
    // For the person who gave the document, any error means that it is not YAML.
    return null
  }
}
