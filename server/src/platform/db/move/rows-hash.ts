import { hash } from 'node:crypto'
import { encode } from '#platform/db/copy-line.ts'
import type { Cell, TableShape } from '#platform/db/row-source.ts'

/** One row in a form that is the same from both engines. */
export function canonicalLine(row: readonly Cell[]): string {
  return JSON.stringify(row.map(encode))
}

/**
 * Number and hash of a table's rows, independent of their order, because the engines sort texts
 * differently: the SHA-256 of each row, added up in lanes of 32 bits.
 */
export class RowsHash {
  rows = 0
  private readonly lanes = new Uint32Array(8)

  add(line: string): void {
    const digest = hash('sha256', line, 'buffer')
    for (const [at, lane] of this.lanes.entries())
      this.lanes[at] = lane + digest.readUInt32LE(at * 4) // the array keeps 32 bits
    this.rows += 1
  }

  /** Hexadecimal. */
  sum(): string {
    return Buffer.from(this.lanes.buffer).toString('hex')
  }
}

export interface Readable {
  /** All rows of a table in batches, with the columns that `table` names. */
  batches(table: TableShape): AsyncIterable<readonly (readonly Cell[])[]>
}

export async function hashOf(side: Readable, table: TableShape): Promise<RowsHash> {
  const sum = new RowsHash()
  for await (const rows of side.batches(table)) for (const row of rows) sum.add(canonicalLine(row))
  return sum
}
