/**
 * Loaded into a service process by `--import`: on SIGUSR2 it writes the longest CPU time, in ms, of a
 * turn of the event loop since the last signal to the file in `LOOP_FILE`. Other processes of the machine
 * do not change it, unlike a latency.
 */
import { writeFileSync } from 'node:fs'

let last = process.threadCpuUsage()
let longestMs = 0

setInterval(() => {
  const now = process.threadCpuUsage()
  const usedMs = (now.user - last.user + now.system - last.system) / 1000
  longestMs = Math.max(longestMs, usedMs)
  last = now
}, 1).unref()

process.on('SIGUSR2', () => {
  writeFileSync(process.env.LOOP_FILE ?? '', String(longestMs))
  longestMs = 0
})
