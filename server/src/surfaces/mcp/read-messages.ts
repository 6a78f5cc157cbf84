import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import { hasMoreParts, isObject } from '#kernel/json.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import type { McpHttp, RpcId } from './environment.ts'
import { mcpFaults } from './fault-table.ts'

/** A posted body and its requests, which the server itself reads; the SDK checks the rest. */
export interface PostedMessages {
  /** A JSON-RPC message or, from 2025-03-26 clients, an array of them. */
  readonly body: unknown
  readonly requests: readonly RpcRequest[]
}

export interface RpcRequest {
  readonly id: RpcId
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Batched requests each count against the limit and are answered together. */
const maxInBatch = 20
/** The only revision with batches (2025-06-18, changelog §1), and the one assumed without a header. */
const batchRevision = '2025-03-26'

/**
 * Reads the body of a POST.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json, json_refused, batch_refused
 */
export async function readMessages(
  c: McpHttp,
  { maxBodyBytes }: Pick<Config, 'maxBodyBytes'>,
): Promise<PostedMessages> {
  const body = await readJson(c.req, maxBodyBytes)
  requireFewParts(body)
  if (!Array.isArray(body)) return { body, requests: requestsIn([body]) }
  const requests = requestsIn(body)
  requireAllowedBatch(body, requests, c.req.header('mcp-protocol-version'))
  return { body: withoutNotifications(body), requests }
}

/** The SDK checks each message at once. The arguments of a tool are checked later, by their operation. */
const maxParts = 10_000

/** @throws Fault json_refused */
function requireFewParts(body: unknown): void {
  const messages = Array.isArray(body) ? body : [body]
  const checked = messages.slice(0, maxInBatch).map((message: unknown) => {
    if (!isObject(message) || !isObject(message.params)) return message
    return { ...message, params: { ...message.params, arguments: null } }
  })
  if (!hasMoreParts(checked, maxParts)) return
  const problem = `contains more than ${maxParts} values and keys besides the arguments of tools`
  throw new Fault(requestFaults.json_refused, { problem })
}

function requestsIn(messages: readonly unknown[]): RpcRequest[] {
  return messages.flatMap((message) => {
    if (!isObject(message) || typeof message.method !== 'string' || !('id' in message)) return []
    const id = typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
    return [{ id, method: message.method, params: isObject(message.params) ? message.params : {} }]
  })
}

function requireAllowedBatch(
  messages: readonly unknown[],
  requests: readonly RpcRequest[],
  revision: string | undefined,
): void {
  const refuse = (problem: string) => new Fault(mcpFaults.batch_refused, { problem })
  if (messages.length === 0) throw refuse('The batch is empty')
  if (revision !== undefined && revision !== batchRevision)
    throw refuse(
      `Protocol version ${revision.slice(0, 20)} has no batches: send one message a POST`,
    )
  if (messages.length > maxInBatch)
    throw refuse(`A batch may hold ${maxInBatch} messages; this one holds ${messages.length}`)
  if (new Set(requests.map(({ id }) => id)).size < requests.length)
    throw refuse('Two requests of the batch have the same id')
}

/**
 * Removes notifications sent with requests in the same POST. They have no effect on a server
 * without sessions, and one that cancels would leave its request without an answer.
 */
function withoutNotifications(messages: readonly unknown[]): readonly unknown[] {
  const requests = messages.filter((message) => !isObject(message) || 'id' in message)
  return requests.length === 0 ? messages : requests
}
