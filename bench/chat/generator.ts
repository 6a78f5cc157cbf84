import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { LoadPlan, LoadResult, Target } from './load.ts'

/** The load generator and the mock model, each as a process of its own. */
export interface Generator {
  /** The mock model's base URL, with `/v1`. */
  readonly modelUrl: string
  load(target: Target, concurrency: number, seconds: number, spreadMs?: number): Promise<LoadResult>
  stop(): void
}

export async function startGenerator(): Promise<Generator> {
  const model = fork(join(import.meta.dirname, 'mock-model.ts'))
  const generator = fork(join(import.meta.dirname, 'load.ts'))
  return {
    modelUrl: await message<string>(model),
    async load(target, concurrency, seconds, spreadMs = 0) {
      generator.send({ ...target, concurrency, seconds, spreadMs } satisfies LoadPlan)
      return await message<LoadResult>(generator)
    },
    stop() {
      model.disconnect()
      generator.disconnect()
    },
  }
}

async function message<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  // Each child sends only messages of the type that its file defines.
  const receive = (value: unknown) => resolve(value as T)
  const end = () => reject(new Error('a process of the bench ended'))
  child.once('message', receive).once('exit', end)
  try {
    return await promise
  } finally {
    child.off('message', receive).off('exit', end)
  }
}
