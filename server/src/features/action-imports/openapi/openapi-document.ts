import { decodedOrSame } from '#features/actions/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isObject, JsonProblem } from '#kernel/json.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import type { Context } from '#platform/context.ts'

/** Why a document cannot be imported, as a sentence for the person who gave it. */
export class OpenApiProblem extends Error {
  override readonly name = 'OpenApiProblem'
}

export type Fields = Readonly<Record<string, unknown>>

export interface OpenApiDocument {
  readonly root: Fields
  /** Schemas that may still be read: references can multiply without end. */
  readonly budget: { left: number }
  /** Follows a local reference. A broken or circular one becomes an empty object. */
  resolve(value: unknown): Fields
}

type YamlContext = Pick<Context, 'workers'>

const yamlWorker = new URL('./yaml-worker.ts', import.meta.url)
const yamlLimits = {
  heapMegabytes: 256,
  residentMegabytes: 512,
  silenceMs: 20_000,
  totalMs: 20_000,
}

/** Schemas read per document. */
const maxSchemas = 20_000

export const maxDocumentLength = 2_000_000

/**
 * Reads an OpenAPI 3 document, JSON or YAML.
 *
 * @throws OpenApiProblem
 */
export async function readOpenApi(ctx: YamlContext, text: string): Promise<OpenApiDocument> {
  if (text.length > maxDocumentLength)
    throw new OpenApiProblem(`The document is longer than ${maxDocumentLength} characters.`)
  const root = asFields((await readJson(text)) ?? (await parseYaml(ctx, text)))
  if (root === null) throw new OpenApiProblem('The document is not an object in JSON or YAML.')
  if ('swagger' in root)
    throw new OpenApiProblem('This is Swagger 2; convert it to OpenAPI 3 first.')
  if (!String(root.openapi ?? '').startsWith('3.'))
    throw new OpenApiProblem('The document does not say openapi: 3.x.')
  const budget = { left: maxSchemas }
  return { root, budget, resolve: (value) => resolve(root, value) }
}

/** More than the largest document that a person writes. */
const maxJsonValues = 200_000

/** Null for a text that is not JSON. @throws OpenApiProblem */
async function readJson(text: string): Promise<unknown> {
  try {
    return await parseJsonInSlices(text, maxJsonValues)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    if (!(error instanceof JsonProblem)) throw error
    throw new OpenApiProblem('The document is too large or nested too deeply.', { cause: error })
  }
}

async function parseYaml({ workers }: YamlContext, text: string): Promise<unknown> {
  const worker = workers.open(yamlWorker, yamlLimits)
  const { signal } = new AbortController()
  try {
    for await (const answer of worker.run(null, [Buffer.from(text)], signal))
      return asFields(answer)?.value
    return null
  } catch (error) {
    // It ran out of memory or time, which no document written by a person does.
    if (error instanceof Fault)
      throw new OpenApiProblem('The document is too large to be parsed.', { cause: error })
    throw error
  } finally {
    worker.close()
  }
}

/**
 * RFC 6901 within the document; other documents are not fetched. Resolver libraries replace every
 * reference of a document at once, without a bound on what small documents expand to.
 */
function resolve(root: Fields, value: unknown): Fields {
  let fields = asFields(value)
  for (let hops = 0; hops < 20; hops += 1) {
    const reference = fields?.$ref
    if (typeof reference !== 'string') return fields ?? {}
    fields = asFields(follow(root, reference))
  }
  return {}
}

function follow(root: Fields, reference: string): unknown {
  if (!reference.startsWith('#/')) return null
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => decodedOrSame(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  let at: unknown = root
  for (const step of steps) {
    const fields = asFields(at)
    if (fields === null || !Object.hasOwn(fields, step)) return null
    at = fields[step]
  }
  return at
}

export function asFields(value: unknown): Fields | null {
  return isObject(value) ? value : null
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
