import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Output } from '#commands/command.ts'

/**
 * Writes the output of a process line by line, so that lines of several processes never mix: a pipe
 * keeps only writes of up to 4 kB whole.
 */
export function forwardLines(from: Readable | null, to: Output): void {
  if (from === null) return
  createInterface({ input: from, crlfDelay: Infinity }).on('line', (line) => to.write(`${line}\n`))
}
