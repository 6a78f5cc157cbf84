import { createAgent } from '#features/agents/index.ts'
import type { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { findOperation } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { runOperation } from '#operations/run-operation.ts'
import { actorOf, type TestInstance, type OpenInstance, type Person } from './test-instance.ts'

export type Answer = Record<string, unknown>
export type Document = Answer & { knowledge: Answer[] | null; exported_at: string }

/** Every kind of secret that an agent can contain. None of them may be in an exported document. */
export const secrets = {
  variable: 'sk-variable-1f2e3d4c',
  header: 'sk-header-5b6a7988',
  query: 'sk-query-0a1b2c3d',
  parameter: 'sk-parameter-4e5f6071',
  mcpHeader: 'sk-mcp-header-8f9e0d1c',
  mcpQuery: 'sk-mcp-query-2b3a4958',
}

export const handbook = `# Returns\n\nGoods may be returned within 30 days.\n\n\n  Indented, and kept.\n\n## Fees\n\n${'No fee is taken. '.repeat(400)}`

export async function openAgentTransfer(
  open: OpenInstance,
  environment: Readonly<Record<string, string>> = {},
) {
  const instance = await open(environment)
  const ada = await instance.person()
  const call = (name: string, input: Answer, narrower = {}, person: Person = ada) =>
    runOperation(instance.ctx, actorOf(person, narrower), findOperation(name)!, input)
  const refusal = async (promise: Promise<unknown>) => {
    const fault = await promise.then(
      (answer) => {
        throw new Error(`the call succeeded with ${JSON.stringify(answer)}`)
      },
      (error: unknown) => error as Fault, // Anything else fails the comparison.
    )
    return { code: fault.code, said: faultMessage(fault), facts: fault.facts }
  }
  const exported = async (appId: unknown, withKnowledge = true, person: Person = ada) => {
    const input = { app_id: appId, include_knowledge: withKnowledge }
    const { document } = await call('export_app', input, {}, person)
    return document as Document // The operation's schema.
  }
  return { instance, ada, call, refusal, exported }
}

export type AgentTransfer = Awaited<ReturnType<typeof openAgentTransfer>>

/** Creates an agent with every kind of setting, knowledge, action, variable, server and product. */
export async function createCompleteAgent({ instance, ada, call }: AgentTransfer): Promise<string> {
  const { id } = await createAgent(instance.ctx, ada, {
    name: 'Helpdesk',
    description: 'Answers',
    system_prompt: 'Be kind. Größe: ✓',
    temperature: 0.4,
    greeting: 'Hello',
    suggestions: ['One?', 'Two?'],
    retrieval: { top_k: 7, min_score: 1.5 },
  })
  const app = { app_id: id }
  const set = (more: Answer) => call('set_app_variable', { ...app, ...more })
  await set({ name: 'TOKEN', type: 'secret', value: secrets.variable, hosts: ['api.example.com'] })
  await set({ name: 'REGION', value: 'eu', description: 'Where' })
  await set({ name: 'LIMIT', type: 'number', value: 3 })
  await call('create_custom_action', {
    ...app,
    name: 'find_order',
    description: 'Finds an order',
    method: 'GET',
    url: `https://api.example.com/orders/{id}?api_key=${secrets.query}`,
    headers: { Authorization: `Bearer ${secrets.header}`, 'X-Region': '{{var.REGION}}' },
    parameters: [
      { in: 'path', key: 'id', instructions: 'The number', required: true },
      { in: 'query', key: 'token', source: 'fixed', value: secrets.parameter },
    ],
  })
  await call('create_custom_action', {
    ...app,
    name: 'create_note',
    description: 'Notes',
    method: 'POST',
    url: 'https://api.example.com/notes',
    parameters: [{ in: 'body', key: 'text', instructions: 'The note' }],
    requires_confirmation: true,
  })
  await insertMcpServer(instance, ada, id)
  await call('update_commerce_settings', { ...app, currency: 'eur' })
  await call('upsert_product', { ...app, name: 'Cup', price_amount: 900, sku: 'cup', stock: 4 })
  await call('upsert_product', { ...app, name: 'Plate', price_amount: 1200, active: false })
  const add = (more: Answer) => call('add_knowledge_source', { ...app, ...more })
  await add({ title: 'Handbook', text: handbook })
  const bytes = Buffer.from('name,price\nCup,9\nPlate,12\n').toString('base64')
  await add({ kind: 'file', filename: 'prices.csv', content_base64: bytes })
  await add({ kind: 'url', url: 'http://127.0.0.1:9/help', include: ['/help/*'] })
  return id
}

/** Inserts the row that `add_mcp_server` would store, without connecting to a server. */
async function insertMcpServer({ ctx }: TestInstance, { workspaceId }: Person, agentId: string) {
  const hidden = {
    headers: { Authorization: secrets.mcpHeader },
    query: `?key=${secrets.mcpQuery}`,
  }
  const row = {
    id: newId(),
    workspace_id: workspaceId,
    agent_id: agentId,
    name: 'crm',
    url: 'https://mcp.example.com/mcp',
    headers_sealed: ctx.vault.seal(JSON.stringify(hidden)),
    header_names_json: '["Authorization"]',
    allowed_tools_json: '["find"]',
    requires_confirmation: 1,
    timeout_ms: 5000,
    tools_json: '[]',
    listed_at: 1,
    error_code: null,
    created_at: 1,
    updated_at: 1,
  }
  await ctx.db.write((tx) => tx.insertInto('tool_servers').values(row).execute())
}

/** The document without its time of export and, if `name` is given, with that agent name. */
export function comparable(document: Document, name?: string): Answer {
  const agent = name === undefined ? document.agent : { ...agentOf(document), name }
  return { ...document, agent, exported_at: undefined }
}

export function agentOf(document: Answer): Answer {
  return document.agent as Answer // The format's schema.
}
