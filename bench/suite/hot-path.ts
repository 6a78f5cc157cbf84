import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What one part of a turn costs, in microseconds on the event loop. */
export interface Part {
  readonly name: string
  readonly micros: number
}

/** A load during which the service was profiled, in microseconds of the machine's monotonic clock. */
export interface Window {
  readonly from: number
  readonly to: number
  readonly turns: number
}

/** Microseconds of the machine's monotonic clock, which profiles use as well. */
export function microsNow(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

interface Frame {
  readonly functionName: string
  readonly url: string
}

interface Profile {
  readonly startTime: number
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: Frame
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Time that belongs to no JavaScript function, by the name that V8 gives it. */
const native = new Map([
  ['(garbage collector)', 'Garbage collection'],
  ['(program)', 'Native code outside of calls'],
  ['runMicrotasks', 'Continuing async functions'],
  ...['writev', 'writeUtf8String', 'writeLatin1String', 'writeBuffer'].map(
    (name) => [name, 'Writing to sockets'] as const,
  ),
])

/** Where a sample belongs: the first of its frames, from the inside out, that is in one of these. */
const parts: readonly (readonly [name: string, files: RegExp])[] = [
  ['SQLite: the statements', /\/platform\/db\/sqlite\/sqlite-connection/],
  [
    'Database: units, batches, binding',
    /\/platform\/(db|limits)\/|\/kysely\/|-store\.ts|signed-data/,
  ],
  ['Hono and its adapter', /\/node_modules\/(hono|@hono)\//],
  ['Model client: undici', /\/node_modules\/undici\//],
  [
    'Model client: calls and answers',
    /\/platform\/(outbound-http|providers|models|fair-slots)\/|\/eventsource-parser\//,
  ],
  ['JSON', /\/kernel\/json/],
  ['Ids, hashes, keys of records', /\/kernel\//],
  ['Chat surface: checks, answers, frames', /\/surfaces\//],
  ['Turn: session, prompt, credits', /\/features\//],
  ['Node’s HTTP server and sockets', /^node:/],
]
const other = 'Other'

/** The parts of a turn, the dearest first. Their sum is the time that the event loop was busy. */
export function partsOf(folder: string, { from, to, turns }: Window): Part[] {
  const profile = largestProfile(folder)
  const partOf = new Map(parentsOf(profile).map(([id, frames]) => [id, partOfFrames(frames)]))
  const micros = new Map<string, number>()
  let at = profile.startTime
  for (const [index, id] of profile.samples.entries()) {
    const spent = profile.timeDeltas[index] ?? 0
    at += spent
    const part = partOf.get(id) ?? null
    if (part !== null && at >= from && at <= to) micros.set(part, (micros.get(part) ?? 0) + spent)
  }
  return [...micros]
    .map(([name, sum]) => ({ name, micros: sum / turns }))
    .toSorted((one, two) => two.micros - one.micros)
}

/** That of the service's event loop; its worker threads have smaller ones. */
function largestProfile(folder: string): Profile {
  const paths = readdirSync(folder).map((name) => join(folder, name))
  const [largest = ''] = paths.toSorted((one, two) => statSync(two).size - statSync(one).size)
  return JSON.parse(readFileSync(largest, 'utf8'))
}

/** Each node with its frames, from the inside out. */
function parentsOf({ nodes }: Profile): [number, Frame[]][] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node.id])))
  return nodes.map(({ id }) => {
    const frames: Frame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at)
      if (node !== undefined) frames.push(node.callFrame)
    }
    return [id, frames]
  })
}

/** Null while the event loop waits. */
function partOfFrames(frames: readonly Frame[]): string | null {
  const name = frames[0]?.functionName ?? ''
  if (name === '(idle)') return null
  const known = native.get(name)
  if (known !== undefined) return known
  for (const { url } of frames)
    for (const [part, files] of parts.slice(0, -1)) if (files.test(url)) return part
  const [node] = parts.at(-1) ?? [other]
  return frames.some(({ url }) => url.startsWith('node:')) ? node : other
}
