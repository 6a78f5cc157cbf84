import { Hono } from 'hono'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import type { Plan } from '#kernel/plan.ts'
import type { Scope } from '#kernel/scope.ts'
import { mcpSurface, type MakeServer } from '#surfaces/mcp/index.ts'
import {
  describeInstance,
  type TestInstance,
  type OpenInstance,
  type Person,
} from './test-instance.ts'

/** The MCP server with the whole context, a person and their developer key. */
export interface McpService extends TestInstance {
  readonly owner: Person
  readonly key: string
  readonly app: Hono
  makeKey(person: Person, options?: KeyOptions): Promise<string>
  /** POST /mcp as in the interface: without Accept and initialize. */
  post(body: unknown, options?: PostOptions): Promise<Response>
  /** Calls a method and reads its JSON-RPC answer. */
  rpc(method: string, params?: unknown, options?: PostOptions): Promise<RpcAnswer>
  /** The same as a client of revision 2026-07-28. */
  modern(method: string, params?: object, options?: PostOptions): Promise<Response>
  /** Calls a tool and reads its result. */
  call(tool: string, input?: unknown, options?: PostOptions): Promise<ToolResult>
}

export interface KeyOptions {
  readonly scopes?: readonly Scope[]
  readonly workspaceId?: string
  readonly expiresAt?: number
}

export interface PostOptions {
  readonly key?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface RpcAnswer {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly result: Readonly<Record<string, unknown>>
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface ToolResult {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent: Readonly<Record<string, unknown>>
}

export interface McpServiceOptions {
  readonly plan?: Plan
  readonly environment?: Readonly<Record<string, string>>
  readonly makeServer?: MakeServer
}

export const mcpBaseUrl = 'http://localhost:3000'

export type OpenMcp = (options?: McpServiceOptions) => Promise<McpService>

/** Runs a suite against the MCP server on SQLite and on PostgreSQL. */
export function describeMcp(title: string, define: (open: OpenMcp) => void): void {
  describeInstance(title, (openInstance) =>
    define((options = {}) => openMcp(openInstance, options)),
  )
}

async function openMcp(
  openInstance: OpenInstance,
  options: McpServiceOptions,
): Promise<McpService> {
  const instance = await openInstance({ BASE_URL: mcpBaseUrl, ...options.environment })
  const owner = await instance.person(options.plan === undefined ? {} : { plan: options.plan })
  const key = await makeKey(instance, owner)
  const surface = mcpSurface(instance.ctx, {
    version: '0.0.0-test',
    ...(options.makeServer === undefined ? {} : { makeServer: options.makeServer }),
  })
  const app = new Hono().route('/mcp', surface)
  const post: McpService['post'] = async (body, { query = '', ...sent } = {}) =>
    await app.request(`${mcpBaseUrl}/mcp${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sent.key ?? key}`,
        'content-type': 'application/json',
        ...sent.headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const rpc: McpService['rpc'] = async (method, params, sent) => {
    const response = await post({ jsonrpc: '2.0', id: 1, method, params }, sent)
    return await answerOf(response)
  }
  return {
    ...instance,
    owner,
    key,
    app,
    post,
    rpc,
    modern: (method, params = {}, sent = {}) => {
      const headers = { ...modernHeaders(method, params), ...sent.headers }
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }
      return post(body, { ...sent, headers })
    },
    makeKey: (person, wanted) => makeKey(instance, person, wanted),
    async call(name, input = {}, sent) {
      const { result, error } = await rpc('tools/call', { name, arguments: input }, sent)
      if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`)
      return result as unknown as ToolResult // Tests compare its fields.
    },
  }
}

const modernRevision = '2026-07-28'

/** The metadata in each request of that revision. */
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function modernHeaders(method: string, params: object): Readonly<Record<string, string>> {
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {}
  return { 'mcp-protocol-version': modernRevision, 'mcp-method': method, ...name }
}

/** Creates a developer key for a person. */
export async function makeKey(
  { ctx }: TestInstance,
  person: Person,
  { scopes, workspaceId, expiresAt }: KeyOptions = {},
): Promise<string> {
  const holder = {
    ...person,
    workspaceId: workspaceId ?? person.workspaceId,
    role: 'owner',
  } as const
  const input = { name: 'test key', scopes, expiresAt }
  return (await createDeveloperKey(ctx, holder, input)).key
}

export async function answerOf(response: Response | Promise<Response>): Promise<RpcAnswer> {
  // The tests of the response format compare the whole body. The others read these fields.
  return (await (await response).json()) as RpcAnswer
}
