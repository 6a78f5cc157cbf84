import { setTimeout as sleep } from 'node:timers/promises'
import { callDashboard, callTool, ownerOf, type Owner } from '../../server/test/faults/owner-of.ts'
import type { Call } from '../../server/test/faults/repeated-calls.ts'
import type { Parley } from '../subjects/parley.ts'

/** What each kind of caller repeats, each with a pause, so that the machine is busy and not full. */
export async function mixedCalls({ origin }: Parley): Promise<Readonly<Record<string, Call>>> {
  const owner = await ownerOf(origin)
  const checkout = await checkoutOf(owner)
  return {
    ...chats(owner, 4),
    ...streams(owner, 8),
    'tools over MCP': inTurn(50, [
      () => callTool(owner, 'list_apps', {}),
      () => callTool(owner, 'search_knowledge', { app_id: owner.agentId, query: 'returned goods' }),
    ]),
    'pages of the dashboard': inTurn(100, [
      () => fetch(`${origin}/api/dashboard/me`, { headers: owner.headers }),
      () => onAgent(owner, 'list_conversations', { limit: 20 }),
      () => onAgent(owner, 'list_knowledge_sources', {}),
    ]),
    checkout,
    'imports of text': importing(owner, (n) => ({
      kind: 'text',
      title: `Terms ${n}`,
      text: `Goods may be returned within ${n} days.\n\n`.repeat(200),
    })),
    'imports of files': importing(owner, (n) => ({
      kind: 'file',
      filename: `things-${n}.csv`,
      content_base64: Buffer.from(`name,about\n${`thing,of number ${n}\n`.repeat(1_000)}`).toString(
        'base64',
      ),
    })),
  }
}

/** Repeats the calls in turn, after a pause. */
function inTurn(pauseMs: number, calls: readonly Call[]): Call {
  let n = 0
  return async () => {
    await sleep(pauseMs)
    const call = calls[n++ % calls.length]
    return call === undefined ? Response.error() : await call()
  }
}

function onAgent(owner: Owner, operation: string, input: object): Promise<Response> {
  return callDashboard(owner, operation, { app_id: owner.agentId, ...input })
}

function chats(owner: Owner, count: number): Record<string, Call> {
  return numbered('chat', count, () => inTurn(50, [() => turn(owner, null, false)]))
}

/** Every session has six turns. */
function streams(owner: Owner, count: number): Record<string, Call> {
  return numbered('stream', count, () => {
    let session: string | null = null
    let n = 0
    return inTurn(100, [
      async () => {
        const response = await turn(owner, session, true)
        session = (n += 1) % 6 === 0 ? null : response.headers.get('x-chat-session-id')
        return response
      },
    ])
  })
}

function numbered(name: string, count: number, create: () => Call): Record<string, Call> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name} ${n + 1}`, create()]))
}

function turn({ origin, caller }: Owner, session: string | null, stream: boolean) {
  return fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.key}`,
      'content-type': 'application/json',
      ...(session === null ? {} : { 'x-chat-session-id': session }),
    },
    body: JSON.stringify({
      model: caller.model,
      messages: [{ role: 'user', content: 'May goods be returned?' }],
      stream,
    }),
  })
}

/** Adds a source, and then deletes it, so that the agent's knowledge stays the same. */
function importing(owner: Owner, source: (n: number) => object): Call {
  let n = 0
  let added: string | null = null
  return inTurn(500, [
    async () => {
      const response = await onAgent(owner, 'add_knowledge_source', source((n += 1)))
      const { id } = (await response.clone().json()) as { id?: string } // A source, or an error.
      added = id ?? null
      return response
    },
    () => callDashboard(owner, 'delete_knowledge_source', { source_id: added }),
  ])
}

/** Creates and completes checkouts, below the limit of a key's requests. */
async function checkoutOf(owner: Owner): Promise<Call> {
  const created = async (operation: string, input: object) => {
    const response = await onAgent(owner, operation, input)
    if (!response.ok) throw new Error(`${operation}: ${await response.text()}`)
    return (await response.json()) as { id: string; key: string } // The fields that are read below.
  }
  const goods = { name: 'Book', price_amount: 990, fulfillment_type: 'digital', stock: 1_000_000 }
  const product = await created('upsert_product', goods)
  const { key } = await created('create_acp_key', { name: 'soak' })
  const post = (path: string, body: object) =>
    fetch(`${owner.origin}/acp/checkout_sessions${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  let id = ''
  return inTurn(1_300, [
    async () => {
      const line_items = [{ product_id: product.id, quantity: 1 }]
      const response = await post('', { line_items, buyer: { email: 'a@example.com' } })
      id = ((await response.clone().json()) as { id: string }).id // A session.
      return response
    },
    () =>
      post(`/${id}/complete`, {
        payment_data: { instrument: { credential: { type: 'spt', token: 'spt_test' } } },
      }),
  ])
}
