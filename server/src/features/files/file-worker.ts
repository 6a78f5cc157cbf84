import { z } from 'zod'
import { documentFormats, readDocument } from '#features/file-readers/index.ts'
import { eachChunk } from '#features/text-analysis/index.ts'
import { Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'
import { fileFaults } from './file-faults.ts'
import { lengthOfChunk, type FileChunk } from './file-part.ts'

const fileTask = z.object({
  format: z.enum(documentFormats),
  charset: z.string().nullable(),
  /** See lengthOfChunk. */
  maxLength: z.int(),
})

export type FileTask = z.infer<typeof fileTask>

/** The service parses the chunks of an answer at once, which takes about a millisecond. */
const chunksAtOnce = 200

/** Runs in a process of its own, see BoundedWorkers: reads one file as chunks, section by section. */
export const runTask: TaskRunner = async function* (input, bytes): AsyncGenerator<FileChunk[]> {
  const { format, charset, maxLength } = fileTask.parse(input)
  const { sections } = await readDocument(format, bytes, { charset, url: null })
  let left = maxLength
  for await (const section of sections) {
    if (section.text === null) continue
    let chunks: FileChunk[] = []
    for (const { heading, text } of eachChunk(storableText(section.text))) {
      const chunk = { heading, page: section.page, text }
      left -= lengthOfChunk(chunk)
      if (left < 0) throw new Fault(fileFaults.file_too_long, { limit: maxLength })
      chunks.push(chunk)
      if (chunks.length < chunksAtOnce) continue
      yield chunks
      chunks = []
    }
    yield chunks
  }
}
