import { z } from 'zod'
import { documentFormats, readDocument } from '#features/file-readers/index.ts'
import { chunkText } from '#features/text-analysis/index.ts'
import { Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'
import { fileFaults } from './file-faults.ts'
import type { FileChunk } from './file-part.ts'

const fileTask = z.object({
  format: z.enum(documentFormats),
  charset: z.string().nullable(),
  /** UTF-16 code units. */
  maxLength: z.int(),
})

export type FileTask = z.infer<typeof fileTask>

/** Runs in a process of its own, see BoundedWorkers: reads one file as chunks, section by section. */
export const runTask: TaskRunner = async function* (input, bytes): AsyncGenerator<FileChunk[]> {
  const { format, charset, maxLength } = fileTask.parse(input)
  const { sections } = await readDocument(format, bytes, { charset, url: null })
  let left = maxLength
  for await (const { text, page } of sections) {
    if (text === null) continue
    const chunks = chunkText(storableText(text)).map((chunk) => {
      left -= chunk.text.length
      return { heading: chunk.heading, page, text: chunk.text }
    })
    if (left < 0) throw new Fault(fileFaults.file_too_long, { limit: maxLength })
    yield chunks
  }
}
