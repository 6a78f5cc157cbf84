import { z } from 'zod'

/** A part of an OpenAPI document, or of a JSON Schema in it. */
export type Json = Readonly<Record<string, unknown>>

/** One method of one path in a contract. */
export interface Endpoint {
  readonly method: 'get' | 'post' | 'delete'
  /** As OpenAPI writes it: `/models/{id}`. */
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly Json[]
  readonly body?: Json
  readonly isBodyOptional?: boolean
  readonly answers: Readonly<Record<number, Json>>
  /** Statuses of its errors; each is in the surface's fault table. */
  readonly refusals: readonly number[]
  /** True where no credential is needed. */
  readonly isOpen?: boolean
}

/** A row of a fault table. */
interface RefusalRow {
  readonly status: number
  /** The message where it is constant, or the code. */
  readonly says: string | null
}

interface Contract {
  readonly title: string
  readonly about: string
  readonly endpoints: readonly Endpoint[]
  readonly refusals: readonly RefusalRow[]
  /** The body of an error with this status. */
  errorBody(status: number): Json
  readonly securityScheme?: Json
  /** Repeated schemas by name; each is in the document once. */
  readonly schemas?: Readonly<Record<string, Json>>
}

/** A surface as an OpenAPI 3.1 document: its endpoints, and errors by status from its fault table. */
export function openApiDocument(contract: Contract): Json {
  const { title, about, endpoints, securityScheme } = contract
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {})
    path[endpoint.method] = describe(endpoint, securityScheme !== undefined)
  }
  const statuses = [...new Set(endpoints.flatMap(({ refusals }) => refusals))].toSorted()
  const responses = statuses.map((status) => [refusalName(status), refusal(contract, status)])
  const named = Object.entries(contract.schemas ?? {})
  const short = (value: unknown) => withReferences(value, named)
  const schemas = named.map(([name, schema]) => {
    const others = named.filter(([other]) => other !== name)
    return [name, withReferences(schema, others)]
  })
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description: about },
    paths: short(paths),
    components: {
      ...(named.length === 0 ? {} : { schemas: Object.fromEntries(schemas) }),
      responses: short(Object.fromEntries(responses)),
      ...(securityScheme === undefined ? {} : { securitySchemes: { key: securityScheme } }),
    },
  }
}

/** Replaces each named schema with a reference to it. */
function withReferences(value: unknown, named: readonly (readonly [string, Json])[]): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withReferences(item, named))
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  const name = named.find(([, schema]) => JSON.stringify(schema) === text)?.[0]
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withReferences(inner, named)]))
}

function describe(endpoint: Endpoint, hasKeys: boolean) {
  const { id, summary, parameters, body, isBodyOptional, answers, refusals, isOpen } = endpoint
  const refused = refusals.map((status) => [
    status,
    { $ref: `#/components/responses/${refusalName(status)}` },
  ])
  return {
    operationId: id,
    summary,
    ...(hasKeys ? { security: isOpen ? [] : [{ key: [] }] } : {}),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: !isBodyOptional, content: body } }),
    responses: { ...answers, ...Object.fromEntries(refused) },
  }
}

function refusalName(status: number): string {
  return `Refused${status}`
}

function refusal({ refusals, errorBody }: Contract, status: number) {
  const says = refusals.flatMap((row) =>
    row.status === status && row.says !== null ? [row.says] : [],
  )
  const isLimited = status === 429 || status === 503
  return {
    description: [...new Set(says)].join('; ') || `Status ${status}`,
    ...(isLimited ? { headers: { 'Retry-After': retryAfter } } : {}),
    content: json(errorBody(status)),
  }
}

const retryAfter = { description: 'Seconds to wait', schema: { type: 'integer' } }

export function json(schema: Json): Json {
  return { 'application/json': { schema } }
}

export function answer(description: string, schema: z.ZodType | null): Json {
  return { description, ...(schema === null ? {} : { content: json(schemaOf(schema, 'output')) }) }
}

/** A zod schema as JSON Schema, without the long patterns that zod adds to formats. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return rest
}

/** Text, the schema of most parameters. */
export const text = { type: 'string' } as const

export function parameter(
  place: 'path' | 'query' | 'header',
  name: string,
  description: string,
  schema: Json = text,
): Json {
  return { in: place, name, required: place === 'path', schema, description }
}

/** An answer that is a page. */
export function page(description: string): Json {
  return { description, content: { 'text/html': { schema: text } } }
}

/** A key in the `Authorization` header. */
export function bearerScheme(description: string): Json {
  return { type: 'http', scheme: 'bearer', description }
}
