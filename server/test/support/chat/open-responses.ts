import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { chatOpenApi } from '#surfaces/chat/open-api/open-api.ts'
import type { ChatService } from './chat-service.ts'
import { contractOf } from '#test/support/contract.ts'

/**
 * The OpenAPI document of Open Responses is stored beside the project, not in it. Without it, nothing is
 * validated against it, which one line says; the tests' own expectations remain.
 */
const document =
  process.env.OPEN_RESPONSES_DOCUMENT ??
  join(import.meta.dirname, '../../../../../shared/open-responses/openapi.json')

export const documentAbsent = existsSync(document)
  ? null
  : 'the OpenAPI document of Open Responses is not beside this checkout'

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
if (documentAbsent === null) {
  ajv.addSchema(JSON.parse(readFileSync(document, 'utf8')) as object, 'official')
} else process.stderr.write(`Responses are not validated: ${documentAbsent}\n`)

/** Fails with every problem if a value violates the official schema; without the document, passes. */
export function expectOfficial<T>(definition: string, value: T): T {
  if (documentAbsent !== null) return value
  const validate = ajv.compile({ $ref: `official#/components/schemas/${definition}` })
  if (validate(value)) return value
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message}`,
  )
  throw new Error(`not a ${definition}:\n${problems.join('\n')}\n${JSON.stringify(value, null, 2)}`)
}

/** The schema of each streaming event, by its type. */
function eventSchema(type: string): string {
  if (type === 'error') return 'ErrorStreamingEvent'
  // Only the names of these schemas lack a word of the event's name.
  const named = type.replace('reasoning_summary_text', 'reasoning_summary')
  const words = named.replace(/^response\./, '').split(/[._]/)
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return `Response${name}StreamingEvent`
}

/** What tests read of a response. */
export interface ResponseBody {
  readonly id: string
  readonly status: string
  readonly output: readonly OutputItem[]
  readonly usage: { readonly input_tokens: number; readonly total_tokens: number } | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly conversation: { readonly id: string } | null
  readonly [field: string]: unknown
}

export interface OutputItem {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly role?: string
  readonly content?: readonly { readonly text: string; readonly annotations: readonly object[] }[]
  readonly [field: string]: unknown
}

export interface StreamEvent {
  readonly type: string
  readonly sequence_number: number
  readonly delta?: string
  readonly response?: ResponseBody
  readonly [field: string]: unknown
}

const contract = contractOf(chatOpenApi())

/** Fails if the project's own contract does not have the status and the body of the response. */
export async function expectInContract(
  method: string,
  path: string,
  response: Response,
): Promise<Response> {
  const [, folder = '', id, rest, item] = path.replace(/\?.*$/, '').split('/')
  const isCompact = folder === 'responses' && id === 'compact'
  const parts = [folder, id && !isCompact ? '{id}' : id, rest, item && '{item}']
  const known = `/api/v1/${parts.filter(Boolean).join('/')}`
  // Tests also call paths that there are not.
  if (!contract.endpoints.includes(`${method} ${known}`)) return response
  return await contract.expectDocumented(method, known, response)
}

/** Fails unless the items that a path answers with are those of the official document. */
async function expectItems(method: string, path: string, response: Response): Promise<void> {
  if (method === 'DELETE' || !/\/(?:input_)?items(?:[/?]|$)/.test(path)) return
  const body = (await response.json()) as { readonly data?: readonly unknown[] } // A list or an item.
  for (const item of body.data ?? [body]) expectOfficial('ItemField', item)
}

/** Calls the Responses API with the service's key; each body is validated. */
export function responsesOf({ app, agent, key }: Pick<ChatService, 'app' | 'agent' | 'key'>) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Response> {
    const response = await app.request(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await expectInContract(method, path, response)
    if (response.ok) await expectItems(method, path, response.clone())
    return response
  }
  const post = (fields: object) => {
    const body = { model: agent.app_name_id, ...fields }
    expectOfficial('CreateResponseBody', body)
    return call('POST', '/responses', body)
  }
  return {
    call,
    post,
    async create(fields: object): Promise<ResponseBody> {
      return expectOfficial('ResponseResource', await bodyOf(await post(fields), 200))
    },
    async get(id: string): Promise<ResponseBody> {
      const response = await call('GET', `/responses/${id}`)
      return expectOfficial('ResponseResource', await bodyOf(response, 200))
    },
    async stream(fields: object): Promise<readonly StreamEvent[]> {
      return await eventsOf(await post({ stream: true, ...fields }))
    },
    /** The error of a refused request. */
    async refused(response: Response, status: number) {
      const { error } = await bodyOf<{ error: Record<string, unknown> }>(response, status)
      return expectOfficial('ErrorPayload', error)
    },
  }
}

export async function bodyOf<T = ResponseBody>(response: Response, status: number): Promise<T> {
  const text = await response.text()
  if (response.status !== status)
    throw new Error(`${response.status} instead of ${status}: ${text}`)
  return JSON.parse(text) as T // Tests compare the fields that they read.
}

/** The events of a stream, each validated; the stream must end with [DONE]. */
export async function eventsOf(response: Response): Promise<readonly StreamEvent[]> {
  const frames = (await response.text()).split('\n\n').filter((frame) => !frame.startsWith(':'))
  if (frames.at(-2) !== 'data: [DONE]') throw new Error(`no end: ${frames.at(-2)}`)
  return frames.slice(0, -2).map((frame) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
    const event = JSON.parse(data ?? frame) as StreamEvent // As above.
    if (event.type !== name) throw new Error(`${event.type} is named ${name}`)
    return expectOfficial(eventSchema(event.type), event)
  })
}

/** The id of the session that a conversation is. */
export function sessionOf(conversation = ''): string {
  const id = conversation.slice('conv_'.length)
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The text of a response. */
export function textOf({ output }: ResponseBody): string {
  return output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join('')
}
