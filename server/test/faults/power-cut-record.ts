/** What power-cut-recorder.c has recorded. */

export type RecordedFile = 'D' | 'L' | 'F' | 'A'

export interface RecordedEvent {
  /** Write, Truncate, Begin and End of a flush, Create, Unlink. */
  readonly kind: 'W' | 'T' | 'B' | 'E' | 'C' | 'U'
  /** Database, Log, Folder, Acknowledgements. */
  readonly file: RecordedFile
  /** Of a flush: `d` for fdatasync, which only our thread calls, `f` for fsync. */
  readonly call: string
  readonly thread: number
  /** Of a truncation: the size. */
  readonly offset: number
  readonly data: Buffer
}

const headerBytes = 19

export function readRecord(record: Buffer): RecordedEvent[] {
  const events: RecordedEvent[] = []
  for (let at = 0; at < record.length;) {
    const length = record.readUInt32LE(at + 15)
    const letter = (index: number) => String.fromCharCode(record[at + index] ?? 0)
    events.push({
      kind: letter(0) as RecordedEvent['kind'], // as the recorder writes them
      file: letter(1) as RecordedFile,
      call: letter(2),
      thread: record.readUInt32LE(at + 3),
      offset: Number(record.readBigUInt64LE(at + 7)),
      data: record.subarray(at + headerBytes, at + headerBytes + length),
    })
    at += headerBytes + length
  }
  return events
}
