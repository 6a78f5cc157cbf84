import type { Engine } from '#platform/db/database.ts'

const both = ['sqlite', 'postgres'] as const
const sqlite = ['sqlite'] as const
const postgres = ['postgres'] as const

/** Every fault that a test causes, with its engines. A page without one of them is not written. */
export const knownFaults = {
  '1,000 open streams': both,
  '5,000 idle connections': both,
  'A damaged page found at the start, and a backup restored': both,
  'A disk that becomes read-only, and a restart after its repair': both,
  'A disk lost under traffic, and its replica of Litestream restored': sqlite,
  'A full disk': both,
  'A lock held by another program for a minute': both,
  'A mistake, and PostgreSQL recovered to the moment before it': postgres,
  'A power cut, simulated at moments of the write-ahead log and its checkpoints': sqlite,
  'All connections ended by PostgreSQL': postgres,
  'An upgrade, one process at a time, under traffic': postgres,
  'Clients that read a byte a second': both,
  'Clocks of two processes that differ by up to a day': postgres,
  'Failover to a promoted standby': postgres,
  'kill -9 amid an answer: the next message of the same session': both,
  'kill -9 amid streams, and a restart': sqlite,
  'kill -9 at each step of a payment: one charge, one order': both,
  'kill -9 during a crawl: every page is stored once': both,
  'kill -9 during an action: its call is recorded and not repeated': both,
  'kill -9 during payments: every order has its one charge': both,
  'kill -9 during the deletion of a workspace: all of it is deleted, and nothing else': both,
  'kill -9 during the first count of conversations: each is counted once': sqlite,
  'kill -9 of one of three processes under load': postgres,
  'kill -9 of one of two processes amid streams': postgres,
  'kill -9 of one of two workers under load': postgres,
  'kill -9 under load with credits: every turn is charged once': both,
  'kill -9 under load, and a restart': both,
  'kill -9 while a file is read: every row is stored once': both,
  'kill -9 while knowledge is embedded: every chunk gets one vector': sqlite,
  'Model that is slow: no answer in time': both,
  'Model that never ends': both,
  'Model that stalls within an answer': both,
  'Overload: 600 callers without a pause': both,
  'PostgreSQL frozen: connections stay open, nothing is answered': postgres,
  'PostgreSQL gone for up to 30 seconds': postgres,
  'PostgreSQL grants fewer connections than the service wants': postgres,
  'Provider that resets its connection within an answer': both,
  'SIGTERM amid streams': both,
  'SIGTERM amid streams, grace of 1 s': both,
  'The clock moved a day forwards and two days back': both,
  'The write-ahead log deleted: the service ends, the log is put back': sqlite,
  'Two services behind PgBouncer in transaction mode, stopped and started': postgres,
} as const satisfies Record<string, readonly Engine[]>

/** A replica is always a moment late, so these lose acknowledged turns: docs/backup.md says how many. */
export const lossyFaults: ReadonlySet<string> = new Set<KnownFault>([
  'A disk lost under traffic, and its replica of Litestream restored',
])

export type KnownFault = keyof typeof knownFaults

export interface Caused {
  readonly fault: string
  readonly engine: Engine
}

/** What should have been caused and was not, and what was caused and is not known. */
export function comparedWithKnown(caused: readonly Caused[]) {
  const known = Object.entries(knownFaults).flatMap(([fault, engines]) =>
    engines.map((engine) => nameOf({ fault, engine })),
  )
  const names = new Set(caused.map(nameOf))
  const all = new Set(known)
  return { missing: [...all.difference(names)], unknown: [...names.difference(all)] }
}

function nameOf({ fault, engine }: Caused): string {
  return `${fault} [${engine}]`
}
