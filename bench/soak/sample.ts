import { readdir, readFile, readlink } from 'node:fs/promises'
import { childrenOf } from '../chat/cpu-time.ts'
import type { Sample } from '../suite/steadiness.ts'

/** What a process and its children hold now (proc(5)). */
export async function sampleOf(pid: number): Promise<Sample> {
  const [own, children] = await Promise.all([holdingsOf(String(pid)), childrenOf(String(pid))])
  const others = await Promise.all(children.map(holdingsOf))
  const childMegabytes = Math.max(0, ...others.map(({ megabytes }) => megabytes))
  return { ...own, childMegabytes, children: children.length }
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
