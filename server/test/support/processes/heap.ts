import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of the heap that are still referenced. */
export function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // V8's function, once the flag is set.
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
