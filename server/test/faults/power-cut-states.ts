import type { RecordedEvent } from './power-cut-record.ts'

/** A number from 0 to 1, the same sequence for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What a disk does with writes that were not flushed when the power fails. */
export type Loss = 'drops all' | 'keeps all' | 'keeps some' | 'tears some'

export const losses: readonly Loss[] = ['drops all', 'keeps all', 'keeps some', 'tears some']

/** The files that a disk may hold after a power cut. */
export interface DiskState {
  readonly database: Buffer
  /** Null when the folder does not name it. */
  readonly log: Buffer | null
}

const sectorBytes = 512

/**
 * The state of the disk when the power fails after the first `at` events. A write is certain once a
 * flush of its file has begun after it and ended; of the others, any part may be missing, so that
 * their order is lost too. Names in the folder are certain after a flush of the folder.
 */
export function stateAfter(
  events: readonly RecordedEvent[],
  at: number,
  initial: Buffer,
  loss: Loss,
  random: () => number,
): DiskState {
  const past = events.slice(0, at)
  const log = logAfter(past, loss, random)
  return {
    database: contentOf(past, 'D', 0, initial, loss, random),
    log: log === null ? null : contentOf(past, 'L', log, Buffer.alloc(0), loss, random),
  }
}

/** @returns the index of the event that created the log which the folder names */
function logAfter(past: readonly RecordedEvent[], loss: Loss, random: () => number): number | null {
  const certain = certainBefore(past, 'F', 0, past.length)
  let created: number | null = null
  for (const [index, { kind, file }] of past.entries()) {
    if (file !== 'L' || (kind !== 'C' && kind !== 'U')) continue
    // A journal keeps the order of changes of names: after the first lost one, all are lost.
    if (index >= certain && !keepsName(loss, random)) break
    created = kind === 'C' ? index : null
  }
  return created
}

function keepsName(loss: Loss, random: () => number): boolean {
  return loss === 'keeps all' || (loss !== 'drops all' && random() < 0.5)
}

/** Events of the file before the returned index are on the disk. */
function certainBefore(
  past: readonly RecordedEvent[],
  file: string,
  from: number,
  to: number,
): number {
  const began = new Map<number, number>()
  let certain = 0
  for (let index = from; index < to; index += 1) {
    const event = past[index]
    if (event === undefined || event.file !== file) continue
    if (event.kind === 'B') began.set(event.thread, index)
    else if (event.kind === 'E') certain = Math.max(certain, began.get(event.thread) ?? 0)
  }
  return certain
}

/** The content of the file that was created at `from` and possibly deleted later. */
function contentOf(
  past: readonly RecordedEvent[],
  file: 'D' | 'L',
  from: number,
  initial: Buffer,
  loss: Loss,
  random: () => number,
): Buffer {
  const deleted = past.findIndex(
    (event, index) => index > from && event.file === file && event.kind === 'U',
  )
  const to = deleted === -1 ? past.length : deleted
  const certain = certainBefore(past, file, from, to)
  const content = new Content(initial)
  for (let index = from; index < to; index += 1) {
    const event = past[index]
    if (event === undefined || event.file !== file) continue
    if (event.kind === 'W') {
      if (index < certain || loss === 'keeps all') content.write(event.offset, event.data)
      else if (loss === 'keeps some' && random() < 0.5) content.write(event.offset, event.data)
      else if (loss === 'tears some') writeTorn(content, event, random)
    } else if (event.kind === 'T')
      if (index < certain || loss === 'keeps all' || (loss !== 'drops all' && random() < 0.5))
        content.truncate(event.offset)
  }
  return content.bytes()
}

/** Only some sectors of a write reach the disk. */
function writeTorn(content: Content, { offset, data }: RecordedEvent, random: () => number): void {
  const kept = random()
  for (let at = 0; at < data.length;) {
    const end = Math.min(data.length, at + sectorBytes - ((offset + at) % sectorBytes))
    if (random() < kept) content.write(offset + at, data.subarray(at, end))
    at = end
  }
}

class Content {
  private buffer: Buffer
  private size: number

  constructor(initial: Buffer) {
    this.buffer = Buffer.from(initial)
    this.size = initial.length
  }

  write(offset: number, data: Buffer): void {
    const end = offset + data.length
    if (end > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(end, this.buffer.length * 2))
      this.buffer.copy(larger)
      this.buffer = larger
    }
    data.copy(this.buffer, offset)
    this.size = Math.max(this.size, end)
  }

  truncate(size: number): void {
    if (size < this.size) this.buffer.fill(0, size, this.size)
    this.size = size
    if (size > this.buffer.length) this.buffer = Buffer.concat([this.buffer], size)
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.size)
  }
}
