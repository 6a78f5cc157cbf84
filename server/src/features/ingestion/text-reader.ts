import { analyseChunksInSlices, chunkInSlices } from '#features/text-analysis/index.ts'
import { storableText } from '#kernel/json.ts'
import type { BoundedWorker } from '#platform/bounded-workers/bounded-workers.ts'
import type { DocumentAnswer, DocumentTask } from './document-worker.ts'

/** Small, because storing one batch delays other requests by some milliseconds. */
const chunksAtOnce = 20

/**
 * Reads a text as `addTextSource` does. It is in UTF-8 and at most `MAX_TEXT_SOURCE_BYTES` long, and no
 * parser is needed; a separate process would take 50 ms of CPU for each of perhaps 2,000 texts.
 */
export const textReader: BoundedWorker = {
  async *run(task, bytes, signal): AsyncGenerator<DocumentAnswer> {
    const { title, fallbackTitle } = task as DocumentTask // what ingestFile sends
    const head = { title: title ?? fallbackTitle, pageCount: null, web: null }
    yield head
    const whole = Buffer.concat(await Array.fromAsync(bytes))
    const chunks = await chunkInSlices(storableText(new TextDecoder().decode(whole)))
    for (let at = 0; at < chunks.length; at += chunksAtOnce) {
      signal.throwIfAborted()
      const batch = chunks.slice(at, at + chunksAtOnce)
      yield { chunks: await analyseChunksInSlices(head.title, batch), progress: 1 }
    }
  },
  close: () => undefined,
}
