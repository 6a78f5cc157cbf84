import { once } from 'node:events'
import { Writable } from 'node:stream'
import { type Invocation, type Output, textOption, UsageError } from './command.ts'

/** What `--format` asks for; CSV by default. */
export function formatOption<Format extends string>(
  options: Invocation['options'],
  known: readonly Format[],
): Format {
  const given = textOption(options, 'format') ?? 'csv'
  const format = known.find((name) => name === given)
  if (format !== undefined) return format
  throw new UsageError(`--format is one of ${known.join(', ')}`)
}

/** Writes piece by piece and waits for a slow reader: unread output would fill the memory. */
export async function writeExport(output: Output, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces)
    if (output.write(piece) === false && output instanceof Writable) await once(output, 'drain')
}
