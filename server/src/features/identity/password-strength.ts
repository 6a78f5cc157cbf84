import { z } from 'zod'
import { Fault } from '#kernel/fault.ts'
import type { BoundedWorker } from '#platform/bounded-workers/bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import { identityFaults } from './identity-faults.ts'

type Workers = Context['workers']

/** zxcvbn's "safely unguessable": 100 million guesses or more. */
const leastScore = 3

const module = new URL('./password-strength-worker.ts', import.meta.url)
const limits = {
  heapMegabytes: 128,
  residentMegabytes: 300,
  silenceMs: 30_000,
  totalMs: 30_000,
} as const

/** What an attacker tries first: words about the account and about Parley. */
export interface Known {
  readonly email: string
  readonly name?: string | undefined
  /** Further words, such as the names of the person's workspaces. */
  readonly words?: readonly string[]
}

/**
 * Checks a new password in a process of its own: loading the word lists and one analysis each take
 * longer than the event loop may wait.
 *
 * @throws Fault password_guessable
 */
export async function requireStrength(
  workers: Workers,
  password: string,
  { email, name = '', words = [] }: Known,
): Promise<void> {
  const texts = [name, ...words]
  const parts = [email, ...texts].flatMap((text) => text.split(/[\s@._+-]+/))
  const known = ['parley', email, ...texts, ...parts]
  const task = { password: password.normalize('NFC'), known: known.filter((word) => word !== '') }
  if ((await inLine(workers, task)) < leastScore) throw new Fault(identityFaults.password_guessable)
}

/** How long the process waits for a further check: loading its word lists takes most of the time. */
const idleMs = 60_000

/** All checks share one process, which ends when there was none for a minute. */
interface Line {
  readonly worker: BoundedWorker
  waiting: number
  last: Promise<unknown>
  idle: NodeJS.Timeout | null
}

const lines = new WeakMap<Workers, Line>()

async function inLine(workers: Workers, task: object): Promise<number> {
  const line = lines.get(workers) ?? newLine(workers)
  lines.set(workers, line)
  if (line.idle !== null) clearTimeout(line.idle)
  line.waiting += 1
  const score = line.last.then(() => scoreOf(line.worker, task))
  line.last = score.catch(() => undefined)
  try {
    return await score
  } finally {
    line.waiting -= 1
    if (line.waiting === 0) line.idle = setTimeout(() => line.worker.close(), idleMs).unref()
  }
}

function newLine(workers: Workers): Line {
  const worker = workers.open(module, limits)
  return { worker, waiting: 0, last: Promise.resolve(), idle: null }
}

const scoreSchema = z.int().min(0).max(4)

async function scoreOf(worker: BoundedWorker, task: object): Promise<number> {
  const { signal } = new AbortController()
  const [score] = await Array.fromAsync(worker.run(task, [], signal))
  return scoreSchema.parse(score)
}
