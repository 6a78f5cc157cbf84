import { readdir, readFile, readlink } from 'node:fs/promises'
import { childrenOf } from '../chat/cpu-time.ts'
import type { Sample } from '../suite/steadiness.ts'

/** What a process and its children hold now (proc(5)). */
export async function sampleOf(pid: number): Promise<Sample> {
  const children = await childrenOf(String(pid))
  const family = await Promise.all([String(pid), ...children].map(holdingsOf))
  const sum = (of: (one: Holdings) => number) => family.reduce((total, one) => total + of(one), 0)
  return {
    megabytes: sum((one) => one.megabytes),
    files: sum((one) => one.files),
    sockets: sum((one) => one.sockets),
    children: children.length,
  }
}

interface Holdings {
  readonly megabytes: number
  readonly files: number
  readonly sockets: number
}

async function holdingsOf(pid: string): Promise<Holdings> {
  // A child may have ended meanwhile, and a descriptor may have been closed.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const open = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(
    open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  )
  const sockets = links.filter((link) => link.startsWith('socket:')).length
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  return { megabytes, files: links.length - sockets, sockets }
}
