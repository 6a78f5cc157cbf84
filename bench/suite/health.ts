import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Values } from './results.ts'
import { percentile } from './statistics.ts'

const pauseMs = 10

/** Asks for a server's health again and again until it is stopped. */
export function watchHealth(url: string | undefined): { stop(): Promise<Values> } {
  if (url === undefined) return { stop: () => Promise.resolve({}) }
  const times: number[] = []
  const over = new AbortController()
  const watch = async () => {
    while (!over.signal.aborted) {
      const askedAt = performance.now()
      const { body } = await request(url)
      await body.dump()
      times.push(performance.now() - askedAt)
      await sleep(pauseMs)
    }
  }
  const watching = watch()
  return {
    async stop() {
      over.abort()
      await watching
      return { healthP50Ms: percentile(times, 0.5), healthP99Ms: percentile(times, 0.99) }
    },
  }
}
