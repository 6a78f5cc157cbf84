/**
 * Loaded into a service process by `--import`: on SIGUSR2 it writes the longest time, in ms, of a turn of
 * the event loop since the last signal to the file in `LOOP_FILE`. Of each turn it takes the CPU time or
 * the time on the clock, whichever is less: other programs lengthen the latter, and the system counts
 * the former in ticks of up to 4 ms. The garbage collector's time is left out: it depends on all that is
 * in memory.
 */
import { writeFileSync } from 'node:fs'
import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'

interface Turn {
  readonly from: number
  readonly to: number
  readonly ms: number
}

const collections: PerformanceEntry[] = []
const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
observer.observe({ entryTypes: ['gc'] })

let last = process.threadCpuUsage()
let lastAt = performance.now()
let turns: Turn[] = []

setInterval(() => {
  const now = process.threadCpuUsage()
  const at = performance.now()
  const usedMs = (now.user - last.user + now.system - last.system) / 1000
  const ms = Math.min(usedMs, at - lastAt)
  if (ms > 1) turns.push({ from: lastAt, to: at, ms })
  last = now
  lastAt = at
}, 1).unref()

process.on('SIGUSR2', () => {
  collections.push(...observer.takeRecords())
  const longest = turns.map(withoutCollections).reduce((most, ms) => Math.max(most, ms), 0)
  writeFileSync(process.env.LOOP_FILE ?? '', String(longest))
  turns = []
  collections.length = 0
})

function withoutCollections({ from, to, ms }: Turn): number {
  const within = collections.filter(({ startTime }) => startTime >= from && startTime < to)
  return within.reduce((rest, { duration }) => rest - duration, ms)
}
