import { createAction } from '#features/actions/index.ts'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey, createDeveloperKey, noteKnownSecret } from '#features/api-keys/index.ts'
import { upsertProduct } from '#features/catalog/index.ts'
import { inviteMember } from '#features/members/index.ts'
import { setVariable } from '#features/variables/index.ts'
import { createWebhookEndpoint } from '#features/webhooks/index.ts'
import { createWorkspace, deleteWorkspace } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import type { TestInstance, Person } from '#test/support/test-instance.ts'
import type { RecordIds } from '#test/support/operation-inputs.ts'

/** Creates one record of each kind that an operation can refer to, in a person's workspace. */
export async function createRecords({ ctx }: TestInstance, person: Person): Promise<RecordIds> {
  const { userId, workspaceId } = person
  const agent = await createAgent(ctx, person, { name: 'Secret agent' })
  const named = { appId: agent.id, name: 'Secret key' }
  const chatKey = await createAgentKey(ctx, person, { kind: 'chat', ...named })
  const acpKey = await createAgentKey(ctx, person, { kind: 'acp', ...named })
  const holder = { ...person, role: 'owner' } as const
  const developerKey = await createDeveloperKey(ctx, holder, { name: 'Secret key' })
  const goods = { name: 'Secret', price_amount: 1 }
  const product = await upsertProduct(ctx, workspaceId, agent.id, goods)
  const action = await createAction(ctx, workspaceId, agent.id, {
    name: 'secret',
    description: 'Secret',
    method: 'GET',
    url: 'https://example.com/secret',
  })
  const hosts = ['example.com']
  const secret = {
    appId: agent.id,
    name: 'SECRET',
    kind: 'secret',
    value: 'hidden',
    hosts,
  } as const
  await setVariable(ctx, workspaceId, secret)
  const invitation = await inviteMember(ctx, person, { role: 'viewer' })
  const address = 'https://example.com/secret'
  const endpoint = await createWebhookEndpoint(ctx, workspaceId, agent.id, address)
  const gone = await createWorkspace(ctx, userId, { name: 'Secret, and gone' })
  await deleteWorkspace(ctx, { userId, workspaceId: gone.id }, gone.name)
  const talk = await storeSession(ctx.db, {
    workspaceId,
    agentId: agent.id,
    messages: [
      { role: 'user', at: 1, content: 'Secret' },
      { role: 'assistant', at: 2, content: 'Secret' },
    ],
  })
  const place = { workspace_id: workspaceId, agent_id: agent.id }
  const inserted = await ctx.db.write(async (tx) => ({
    ...(await insertSource(tx, place)),
    server_id: await insertServer(tx, place),
    grant_id: await insertGrant(tx, person),
    page_secret_id: await insertPageSecret(tx, person, agent.id),
    ...(await insertOrder(tx, place, { keyId: acpKey.id, endpointId: endpoint.id })),
  }))
  return {
    ...inserted,
    app_id: agent.id,
    chat_key_id: chatKey.id,
    acp_key_id: acpKey.id,
    developer_key_id: developerKey.id,
    session_id: talk.id,
    message_id: talk.messageIds.at(-1) ?? '',
    product_id: product.id,
    action_id: action.id,
    user_id: userId,
    invitation_id: invitation.id,
    endpoint_id: endpoint.id,
    workspace_id: workspaceId,
    deleted_workspace_id: gone.id,
  }
}

interface Place {
  readonly workspace_id: string
  readonly agent_id: string
}

/** Inserts a source with a document of one chunk. */
async function insertSource(
  tx: Tx,
  place: Place,
): Promise<{ source_id: string; document_id: string }> {
  const id = newId()
  const sizes = { byte_length: 0, sha256: '', chunk_count: 0, token_count: 0 }
  const text = { kind: 'text', title: 'Secret', url: null, status: 'ready', error_code: null }
  const at = { created_at: 1, updated_at: 1 }
  await tx
    .insertInto('knowledge_sources')
    .values({ ...place, ...sizes, ...text, ...at, id })
    .execute()
  const documentId = newId()
  const origin = { url: null, title: null, sha256: null, etag: null, last_modified: null }
  const counts = { chunk_count: 0, token_count: 0, term_count: 0, page_count: null }
  const read = { status: 'ready', links_json: '[]', analysis_version: null, checked_at: 1 }
  await tx
    .insertInto('knowledge_documents')
    .values({
      ...origin,
      ...counts,
      ...read,
      ...at,
      id: documentId,
      source_id: id,
      agent_id: place.agent_id,
    })
    .execute()
  const chunk = {
    ordinal: 0,
    heading: '',
    page: null,
    text: 'Secret',
    token_count: 1,
    term_count: 1,
  }
  const of = { source_id: id, document_id: documentId, agent_id: place.agent_id }
  await tx
    .insertInto('knowledge_chunks')
    .values({ ...of, ...chunk })
    .execute()
  return { source_id: id, document_id: documentId }
}

async function insertServer(tx: Tx, place: Place): Promise<string> {
  const id = newId()
  const address = { name: 'secret', url: 'https://a.b/mcp', headers_sealed: null }
  const tools = { header_names_json: '[]', allowed_tools_json: null, tools_json: '[]' }
  const rules = { requires_confirmation: 0, timeout_ms: 1000, error_code: null }
  const at = { created_at: 1, updated_at: 1, listed_at: 1 }
  await tx
    .insertInto('tool_servers')
    .values({ ...place, ...address, ...tools, ...rules, ...at, id })
    .execute()
  return id
}

async function insertGrant(tx: Tx, { userId, workspaceId }: Person): Promise<string> {
  const id = newId()
  const client = { client_id: 'secret', client_name: 'Secret', redirect_uri: 'https://a.b/back' }
  const granted = { scopes: '*', resource: 'https://a.b/mcp', last_used_at: null, revoked_at: null }
  const at = { created_at: 1, expires_at: Date.parse('9999-12-31') }
  await tx
    .insertInto('oauth_grants')
    .values({ id, user_id: userId, workspace_id: workspaceId, ...client, ...granted, ...at })
    .execute()
  return id
}

async function insertPageSecret(tx: Tx, person: Person, agentId: string): Promise<string> {
  const id = newId()
  await noteKnownSecret(tx, { ...person, id, agentId, kind: 'link', shownAt: 1 })
  return id
}

/** Inserts an order, its checkout and a webhook delivery about it. */
async function insertOrder(
  tx: Tx,
  place: Place,
  { keyId, endpointId }: { readonly keyId: string; readonly endpointId: string },
): Promise<{ order_id: string; delivery_id: string }> {
  const [sessionId, orderId, deliveryId] = [newId(), newId(), newId()]
  const at = { created_at: 1, updated_at: 1 }
  await tx
    .insertInto('checkout_sessions')
    .values({
      ...place,
      ...at,
      id: sessionId,
      api_key_id: keyId,
      status: 'completed',
      currency: 'usd',
      choices_json: '{}',
      quote_json: '{}',
      payment_id: null,
      order_id: orderId,
      expires_at: Number.MAX_SAFE_INTEGER,
    })
    .execute()
  await tx
    .insertInto('orders')
    .values({
      ...place,
      ...at,
      id: orderId,
      session_id: sessionId,
      number: 1,
      status: 'created',
      is_test: 1,
      currency: 'usd',
      total_amount: 1,
      document_json: '{}',
      receipt_key: newId(),
    })
    .execute()
  await tx
    .insertInto('webhook_deliveries')
    .values({
      ...place,
      id: deliveryId,
      endpoint_id: endpointId,
      order_id: orderId,
      event_type: 'order_create',
      payload: '{"secret":true}',
      status: 'failed',
      attempts: 1,
      response_status: null,
      error: null,
      next_attempt_at: null,
      created_at: 1,
      delivered_at: null,
    })
    .execute()
  return { order_id: orderId, delivery_id: deliveryId }
}
