import { readdir, readFile } from 'node:fs/promises'

/** Fields of `/proc/PID/stat` after the name (proc(5)): ticks, with ended children counted apart. */
interface ProcessTimes {
  readonly parent: string
  readonly own: number
  readonly endedChildren: number
}

const ticksPerSecond = 100

/**
 * CPU seconds, user and system, that a process and all its children have used so far, including
 * children that have ended.
 */
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

/** The processes that a process has started and that have not ended. */
export async function childrenOf(pid: string): Promise<readonly string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children.split(' ').filter((child) => child !== '')
}

/** The parent of a process. For a PostgreSQL session it is the server. */
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
