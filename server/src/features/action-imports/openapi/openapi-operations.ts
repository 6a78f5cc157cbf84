import {
  actionMethods,
  maxActions,
  type ActionParameter,
  type NewAction,
} from '#features/actions/index.ts'
import { freeToolName, toolName } from '#features/tool-calls/index.ts'
import { withoutEnd } from '#kernel/without-end.ts'
import {
  asFields,
  asList,
  asText,
  readOpenApi,
  type Fields,
  type OpenApiDocument,
} from './openapi-document.ts'
import { importParameter, importParameters } from './import-parameters.ts'
import { importFields, importSchema, maxFields } from './openapi-schema.ts'
import { importSecurity, type NeededVariable } from './openapi-security.ts'

interface ImportedOperation {
  /** `GET /pets/{petId}` */
  readonly operation: string
  readonly action: NewAction
}

export interface ImportedDocument {
  readonly operations: readonly ImportedOperation[]
  readonly needed: readonly NeededVariable[]
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
}

export interface OpenApiChoice {
  /** Only these, by operationId or as `GET /pets`; all by default. */
  readonly only?: readonly string[] | undefined
  /** Instead of the document's own server. */
  readonly serverUrl?: string | undefined
  /** The address of the document: its servers may be relative to it. */
  readonly documentUrl?: string | undefined
}

/** What the service reads of the result: it checks and shows all of it. */
const maxResultLength = 500_000
const maxSkipped = 500
const maxReasonLength = 300
const tooLarge = 'The document is too large to be read completely: name this in operations.'

/**
 * The operations of an OpenAPI 3 document as actions. Operations that an action cannot send are skipped
 * with a reason. Its time and memory are not bounded: call it in a bounded worker.
 *
 * @throws OpenApiProblem
 */
export function openApiOperations(text: string, choice: OpenApiChoice): ImportedDocument {
  const document = readOpenApi(text)
  const operations: ImportedOperation[] = []
  const needed = new Map<string, NeededVariable>()
  const skipped: { operation: string; reason: string }[] = []
  const taken = new Set<string>()
  let left = maxResultLength
  let more = 0
  for (const found of listOperations(document)) {
    if (choice.only !== undefined && !isChosen(found, choice.only)) continue
    const { label: operation } = found
    const made =
      operations.length < maxActions
        ? importOperation(document, found, choice)
        : `Beyond the first ${maxActions}: name it in operations.`
    const length = JSON.stringify(made).length
    if (typeof made !== 'string' && length <= left) {
      left -= length
      const name = freeToolName(made.action.name, taken)
      taken.add(name)
      operations.push({ operation, action: { ...made.action, name } })
      for (const one of made.needed) needed.set(one.name, one)
    } else if (skipped.length < maxSkipped) {
      const reason = typeof made === 'string' ? made.slice(0, maxReasonLength) : tooLarge
      skipped.push({ operation, reason })
    } else more += 1
  }
  if (more > 0) skipped.push({ operation: `${more} more`, reason: 'Too many to list.' })
  return { operations, needed: [...needed.values()], skipped }
}

interface FoundOperation {
  readonly label: string
  readonly method: NewAction['method']
  readonly path: string
  readonly shared: Fields
  readonly operation: Fields
}

/** Longer than an address may be, so that an action with one is refused. */
const maxPathLength = 4001

function listOperations(document: OpenApiDocument): FoundOperation[] {
  return Object.entries(asFields(document.root.paths) ?? {}).flatMap(([path, item]) => {
    const shared = document.resolve(item)
    return actionMethods.flatMap((method) => {
      const operation = asFields(shared[method.toLowerCase()])
      const label = `${method} ${path.slice(0, maxPathLength)}`
      return operation === null ? [] : [{ label, method, path, shared, operation }]
    })
  })
}

function isChosen({ label, operation }: FoundOperation, only: readonly string[]): boolean {
  return only.includes(label) || only.includes(asText(operation.operationId))
}

interface Made {
  readonly action: NewAction
  readonly needed: readonly NeededVariable[]
}

/** An action, or the reason why there is none. */
function importOperation(
  document: OpenApiDocument,
  { label, method, path, shared, operation }: FoundOperation,
  { serverUrl, documentUrl }: OpenApiChoice,
): Made | string {
  if (document.budget.left <= 0) return tooLarge
  // OpenAPI 3.1 §4.8.8.1. Otherwise it could continue the host of the server.
  if (!path.startsWith('/')) return 'Its path does not begin with a slash.'
  const server = serverUrl ?? absolute(serverOf(document, operation, shared), documentUrl)
  if (!/^https?:\/\//i.test(server)) return 'The document names no server: give server_url.'
  const body = importBody(document, operation)
  if (typeof body === 'string') return body
  const security = importSecurity(document, operation)
  const parameters = importParameters(document, path, shared, operation)
  const title = asText(operation.summary)
  const about = asText(operation.description) || title || label
  return {
    needed: security.needed,
    action: {
      name: toolName(asText(operation.operationId) || `${method.toLowerCase()}_${path}`),
      title: title.slice(0, 200),
      description: about.slice(0, 1000),
      method,
      url: (withoutEnd(server, '/') + path).slice(0, maxPathLength),
      parameters: [...parameters, ...security.parameters, ...body.parameters].slice(0, maxFields),
      headers: { ...security.headers },
      body_type: body.type,
      body_template: body.template,
    },
  }
}

/** The first server, nearest first, with the defaults of its variables. */
function serverOf({ root }: OpenApiDocument, operation: Fields, shared: Fields): string {
  const [first] = [operation, shared, root].flatMap(({ servers }) => asList(servers))
  // OpenAPI 3.1 §4.8.1.1: the default is the root of the document's own server.
  if (first === undefined) return '/'
  const server = asFields(first) ?? {}
  const variables = asFields(server.variables) ?? {}
  return asText(server.url).replace(/\{([^{}]+)\}/g, (_, name: string) =>
    String(asFields(variables[name])?.default ?? ''),
  )
}

/** OpenAPI 3.1 §4.8.5.1: a server may be relative to the document's address. */
function absolute(server: string, documentUrl: string | undefined): string {
  if (documentUrl === undefined || !URL.canParse(server, documentUrl)) return server
  return URL.canParse(server) ? server : new URL(server, documentUrl).href
}

interface ImportedBody {
  readonly type: 'json' | 'form'
  readonly template: string | null
  readonly parameters: readonly ActionParameter[]
}

const noBody: ImportedBody = { type: 'json', template: null, parameters: [] }

function importBody(document: OpenApiDocument, operation: Fields): ImportedBody | string {
  if (operation.requestBody === undefined) return noBody
  const content = asFields(document.resolve(operation.requestBody).content) ?? {}
  const json = Object.keys(content).find((type) => /^application\/([\w.+-]*\+)?json/i.test(type))
  const form = Object.keys(content).find((type) => /x-www-form-urlencoded/i.test(type))
  const media = json ?? form
  if (media === undefined) return `It accepts ${Object.keys(content).join(', ') || 'no known type'}; actions send JSON or forms.` // prettier-ignore
  const schema = asFields(content[media])?.schema
  const fields = importFields(document, schema)
  const { type } = importSchema(document, schema)
  if (fields.length === 0 && type === 'array' && json !== undefined) {
    const list = importParameter(document, 'body', listKey, { schema, required: true })
    return { type: 'json', template: `"{{${listKey}}}"`, parameters: [list] }
  }
  if (fields.length === 0 && type !== 'object') return 'Its body is neither an object nor a list.'
  return {
    type: json === undefined ? 'form' : 'json',
    template: null,
    parameters: fields.map(({ name, schema, isRequired }) =>
      importParameter(document, 'body', name, { schema, required: isRequired }),
    ),
  }
}

/** The name of the parameter for a body that is a list. */
const listKey = 'items'
