import { Fault } from '#kernel/fault.ts'
import { checkSchema, SchemaTooComplex } from '#kernel/json-schema/check-schema.ts'
import { JsonProblem } from '#kernel/json.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import type { Context } from '#platform/context.ts'
import type { ResponseFormat } from '#platform/models/model.ts'
import type { SchemaTask } from './schema-worker.ts'

/** Longer answers are not checked. UTF-16 code units. */
const longestAnswer = 1024 * 1024
const mostValues = 100_000

export type Checked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string }

interface CheckOf {
  readonly workspaceId: string
  readonly signal: AbortSignal
}

/**
 * Whether an answer has its form. What takes longer than a moment runs in a bounded worker: the schema is
 * the caller's, and so are its patterns.
 *
 * @throws the signal's reason; SlotsBusy
 */
export async function checkAnswer(
  ctx: Pick<Context, 'workers' | 'importSlots'>,
  answer: string,
  format: ResponseFormat,
  of: CheckOf,
): Promise<Checked> {
  const wrong = (problem: string): Checked => ({ ok: false, problem })
  if (answer.length > longestAnswer) return wrong('it is too long')
  const text = withoutFences(answer.trim())
  const schema = format.type === 'json_schema' ? format.schema : { type: 'object' }
  try {
    const value: unknown = await parseJsonInSlices(text, mostValues)
    const problem = await problemOf(ctx, schema, { value, text }, of)
    return problem === null ? { ok: true, text } : wrong(problem)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonProblem) return wrong('it is not JSON')
    throw error
  }
}

const fence = '```'

/** Models like to put JSON between fences, which are no part of it. */
function withoutFences(text: string): string {
  const shortest = 2 * fence.length
  if (text.length < shortest || !text.startsWith(fence) || !text.endsWith(fence)) return text
  const inside = text.slice(fence.length, -fence.length)
  return (inside.startsWith('json') ? inside.slice('json'.length) : inside).trim()
}

interface Answer {
  readonly value: unknown
  readonly text: string
}

async function problemOf(
  ctx: Pick<Context, 'workers' | 'importSlots'>,
  schema: unknown,
  { value, text }: Answer,
  of: CheckOf,
): Promise<string | null> {
  try {
    return checkSchema(schema, value)
  } catch (error) {
    if (!(error instanceof SchemaTooComplex)) throw error
    return await problemInWorker(ctx, schema, text, of)
  }
}

const workerModule = new URL('./schema-worker.ts', import.meta.url)

/** Short, because a caller waits for the answer. */
const workerLimits = {
  heapMegabytes: 128,
  residentMegabytes: 384,
  silenceMs: 10_000,
  totalMs: 10_000,
}

async function problemInWorker(
  { workers, importSlots }: Pick<Context, 'workers' | 'importSlots'>,
  schema: unknown,
  text: string,
  { workspaceId, signal }: CheckOf,
): Promise<string | null> {
  const release = await importSlots.acquire(workspaceId, signal)
  const worker = workers.open(workerModule, workerLimits)
  const written = Buffer.from(JSON.stringify(schema))
  const task: SchemaTask = { schemaBytes: written.length }
  try {
    const bytes = [written, Buffer.from(text)]
    // What schema-worker.ts yields.
    for await (const found of worker.run(task, bytes, signal)) return found as string | null
    throw new TypeError('the worker gave no answer')
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'too_large') throw error
    return 'its schema is too complex to be checked'
  } finally {
    worker.close()
    release()
  }
}
