import { FormBrowser } from '#test/support/browser/form-browser.ts'
import type { Caller } from './chat-traffic.ts'

const account = { email: 'owner@example.com', password: 'a long enough password' }

type Output = Readonly<Record<string, string>>

/** The owner of a running service, signed in as a person and with a developer key. */
export interface Owner {
  readonly origin: string
  /** The headers of the dashboard's own requests. */
  readonly headers: Readonly<Record<string, string>>
  readonly developerKey: string
  readonly agentId: string
  readonly caller: Caller
}

/** Signs in over HTTP, so that no process of another version touches the database. */
export async function ownerOf(origin: string): Promise<Owner> {
  const send = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'manual' })
  const browser = new FormBrowser(send, { origin })
  await browser.open('/login')
  await browser.submit('/login', account)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = {
    cookie,
    origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  }
  const created = async (name: string, input: object): Promise<Output> => {
    const response = await callDashboard({ origin, headers }, name, input)
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Output // The fields that are read below.
  }
  const agent = await created('create_app', { name: 'Faults', model: 'openai/mock' })
  const { key = '' } = await created('create_chat_key', { app_id: agent.id, name: 'faults' })
  const { key: developerKey = '' } = await created('create_developer_key', { name: 'faults' })
  const caller = { model: agent.app_name_id ?? '', key }
  return { origin, headers, developerKey, agentId: agent.id ?? '', caller }
}

export function callDashboard(
  { origin, headers }: Pick<Owner, 'origin' | 'headers'>,
  operation: string,
  input: object,
): Promise<Response> {
  const body = JSON.stringify(input)
  const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) }
  return fetch(`${origin}/api/dashboard/operations/${operation}`, init)
}

/** Calls a tool over MCP. */
export function callTool(
  { origin, developerKey }: Pick<Owner, 'origin' | 'developerKey'>,
  name: string,
  input: object,
): Promise<Response> {
  const params = { name, arguments: input }
  return fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${developerKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: AbortSignal.timeout(60_000),
  })
}
