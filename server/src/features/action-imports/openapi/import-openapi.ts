import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { ImportedDocument, OpenApiChoice } from './openapi-operations.ts'
import { maxDocumentLength, OpenApiProblem } from './openapi-problem.ts'
import type { ReadDocument } from './openapi-worker.ts'

const module = new URL('./openapi-worker.ts', import.meta.url)
const limits = {
  heapMegabytes: 256,
  residentMegabytes: 512,
  silenceMs: 20_000,
  totalMs: 20_000,
} as const

/** Whose import it is, and when its client is gone. */
export interface Importer {
  readonly workspaceId: string
  readonly signal: AbortSignal
}

/**
 * The operations of an OpenAPI 3 document, JSON or YAML, as actions. Operations that an action cannot
 * send are skipped with a reason. A bounded worker reads the document: a small one can expand without
 * end through its references, and the YAML library takes seconds for a long one.
 *
 * @throws OpenApiProblem, SlotsBusy; the signal's reason
 */
export async function importOpenApi(
  { workers, importSlots }: Pick<Context, 'workers' | 'importSlots'>,
  { workspaceId, signal }: Importer,
  text: string,
  choice: OpenApiChoice,
): Promise<ImportedDocument> {
  if (text.length > maxDocumentLength)
    throw new OpenApiProblem(`The document is longer than ${maxDocumentLength} characters.`)
  const { only, serverUrl, documentUrl } = choice
  const release = await importSlots.acquire(workspaceId, signal)
  const worker = workers.open(module, limits)
  try {
    const answers = worker.run({ only, serverUrl, documentUrl }, [Buffer.from(text)], signal)
    const [read] = (await Array.fromAsync(answers)) as ReadDocument[] // Written by openapi-worker.ts.
    if (read !== undefined && 'imported' in read) return read.imported
    throw new OpenApiProblem(read?.problem ?? 'The document could not be read.')
  } catch (error) {
    // It ran out of memory or time, which no document written by a person does.
    if (error instanceof Fault)
      throw new OpenApiProblem('The document is too large to be parsed.', { cause: error })
    throw error
  } finally {
    worker.close()
    release()
  }
}
