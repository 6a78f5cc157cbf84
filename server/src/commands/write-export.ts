import { once } from 'node:events'
import { Writable } from 'node:stream'
import { exportFormats, type ExportFormat } from '#kernel/csv-line.ts'
import { type Invocation, type Output, textOption, UsageError } from './command.ts'

/** The value of `--format`; CSV by default. */
export function formatOption(options: Invocation['options']): ExportFormat {
  const given = textOption(options, 'format') ?? 'csv'
  const format = exportFormats.find((name) => name === given)
  if (format !== undefined) return format
  throw new UsageError(`--format is one of ${exportFormats.join(', ')}`)
}

/** Waits for a slow reader: unread output would fill the memory. */
export async function writeExport(output: Output, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces)
    if (output.write(piece) === false && output instanceof Writable) await once(output, 'drain')
}
