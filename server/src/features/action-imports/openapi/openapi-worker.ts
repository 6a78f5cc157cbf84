import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'
import {
  openApiOperations,
  type ImportedDocument,
  type OpenApiChoice,
} from './openapi-operations.ts'
import { OpenApiProblem } from './openapi-problem.ts'

/** What the worker answers for one document. */
export type ReadDocument = { readonly imported: ImportedDocument } | { readonly problem: string }

/** Reads one OpenAPI document in a process of its own. The task is an OpenApiChoice. */
export const runTask: TaskRunner = async function* (task, bytes) {
  const text = Buffer.concat(await Array.fromAsync(bytes)).toString()
  yield read(text, task as OpenApiChoice) // import-openapi.ts sends it
}

function read(text: string, choice: OpenApiChoice): ReadDocument {
  try {
    return { imported: openApiOperations(text, choice) }
  } catch (error) {
    if (error instanceof OpenApiProblem) return { problem: error.message }
    throw error
  }
}
