import { readdir, readFile } from 'node:fs/promises'

/** Of `/proc/PID/stat` after the name (proc(5)): times in ticks, those of ended children apart. */
interface ProcessTimes {
  readonly parent: string
  readonly own: number
  readonly endedChildren: number
}

const ticksPerSecond = 100

/** Seconds of CPU that a process used so far, user and system. */
export async function cpuSeconds(pid: string): Promise<number> {
  return ((await timesOf(pid))?.own ?? Number.NaN) / ticksPerSecond
}

/** The same of a process and all its children, those that ended included. */
export async function cpuSecondsOfFamily(pid: string): Promise<number> {
  let ticks = 0
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const times = await timesOf(name)
    if (times === null) continue
    if (name === pid) ticks += times.own + times.endedChildren
    else if (times.parent === pid) ticks += times.own
  }
  return ticks / ticksPerSecond
}

/** The parent of a process: of a PostgreSQL session's, the server. */
export async function parentOf(pid: string): Promise<string> {
  const times = await timesOf(pid)
  if (times === null) throw new Error(`no process ${pid} on this machine`)
  return times.parent
}

async function timesOf(pid: string): Promise<ProcessTimes | null> {
  // A process may end while the list is read.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = (field: number) => Number(fields[field])
  return {
    parent: String(fields[1]),
    own: ticks(11) + ticks(12),
    endedChildren: ticks(13) + ticks(14),
  }
}
