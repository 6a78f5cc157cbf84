import { createAgent } from '#features/agents/index.ts'
import { createAgentKey, createDeveloperKey } from '#features/api-keys/index.ts'
import { upsertProduct } from '#features/catalog/index.ts'
import { finishUpload, storeUpload, type UploadPlace } from '#features/files/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { addApp } from '#test/support/identity/authenticator-app.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import { baseUrl, type SignInService } from '#test/support/identity/sign-in-service.ts'

/**
 * A person's workspace with every credential and a record of each kind that a route can refer to.
 */
export interface Tenant {
  readonly userId: string
  readonly workspaceId: string
  readonly workspaceName: string
  readonly appId: string
  readonly appNameId: string
  readonly chatKey: string
  readonly acpKey: string
  readonly developerKey: string
  readonly accessToken: string
  readonly browser: FormBrowser
  readonly chatSessionId: string
  readonly messageId: string
  readonly responseId: string
  readonly fileId: string
  readonly sourceId: string
  readonly productId: string
  readonly checkoutId: string
  readonly orderId: string
  readonly receiptKey: string
  readonly signInId: string
  readonly factorId: string
  readonly grantId: string
  /** Words that occur only in this tenant's records. */
  readonly secretWord: string
}

export async function createTenant(service: SignInService, name: string): Promise<Tenant> {
  const { ctx } = service
  const account = await service.account(name)
  const { userId, workspaceId } = account
  const person = { ...account, name }
  const secretWord = `secret-of-${name}`
  const agent = await createAgent(ctx, person, { name: secretWord, system_prompt: secretWord })
  const chat = await createAgentKey(ctx, person, {
    kind: 'chat',
    appId: agent.id,
    name: secretWord,
  })
  const acp = await createAgentKey(ctx, person, { kind: 'acp', appId: agent.id, name: secretWord })
  const developer = await createDeveloperKey(
    ctx,
    { ...person, role: 'owner' },
    { name: secretWord },
  )
  const { accessToken } = await grantFlow(service, person)
  const browser = await service.signedIn(account)
  await addApp(service, browser)
  const said = await post(service, '/api/v1/chat/completions', chat.key, {
    model: agent.appNameId,
    messages: [{ role: 'user', content: secretWord }],
  })
  const responded = await post(service, '/api/v1/responses', chat.key, {
    model: agent.appNameId,
    input: secretWord,
  })
  const goods = { name: secretWord, price_amount: 0, fulfillment_type: 'none' } as const
  const product = await upsertProduct(ctx, workspaceId, agent.id, goods)
  const knowledge = { appId: agent.id, title: secretWord, text: secretWord }
  const source = await addTextSource(ctx, workspaceId, knowledge)
  const fileId = await uploadFile(ctx, { workspaceId, agentId: agent.id }, secretWord)
  const carts = `/acp/${agent.id}/checkout_sessions`
  const lines = { line_items: [{ product_id: product.id, quantity: 1 }] }
  const open = await post(service, carts, acp.key, lines)
  const bought = await post(service, carts, acp.key, lines)
  const buyer = { email: `${secretWord}@example.com`, first_name: secretWord, last_name: 'B' }
  await post(service, `${carts}/${bought.id}/complete`, acp.key, { buyer })
  const order = await ctx.db.read
    .selectFrom('orders')
    .select(['id', 'receipt_key'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return {
    userId,
    workspaceId,
    workspaceName: (await getWorkspace(ctx.db.read, userId, workspaceId)).name,
    appId: agent.id,
    appNameId: agent.appNameId,
    chatKey: chat.key,
    acpKey: acp.key,
    developerKey: developer.key,
    accessToken,
    browser,
    chatSessionId: said.chatSessionId ?? '',
    messageId: said.id ?? '',
    responseId: responded.id ?? '',
    fileId: `file-${fileId.replaceAll('-', '')}`,
    sourceId: source.id,
    productId: product.id,
    checkoutId: open.id ?? '',
    orderId: order.id,
    receiptKey: order.receipt_key,
    signInId: await onlyId(service, 'sign_in_sessions', userId),
    factorId: await onlyId(service, 'second_factors', userId),
    grantId: await onlyId(service, 'oauth_grants', userId),
    secretWord,
  }
}

async function uploadFile(
  ctx: SignInService['ctx'],
  place: UploadPlace,
  text: string,
): Promise<string> {
  const bytes = ReadableStream.from([Buffer.from(text)])
  const file = { filename: `${text}.txt`, mediaType: null, mostBytes: null, bytes }
  const id = await storeUpload(ctx, place, file)
  await finishUpload(ctx, id, { purpose: 'user_data', lifetimeMs: null, endUser: null })
  return id
}

interface Said {
  readonly id?: string
  readonly chatSessionId?: string
}

async function post(service: SignInService, path: string, key: string, body: unknown) {
  const headers = { authorization: `Bearer ${key}` }
  const response = await service.post(path, body, headers)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  return JSON.parse(text) as Said // Both surfaces return the id of the created record.
}

async function onlyId(
  { ctx }: SignInService,
  table: 'sign_in_sessions' | 'second_factors' | 'oauth_grants',
  userId: string,
): Promise<string> {
  const row = await ctx.db.read
    .selectFrom(table)
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.id
}

/** A request with a person's cookies, as from a page of the dashboard. */
export function asPage({ browser }: Pick<Tenant, 'browser'>, init: RequestInit = {}): RequestInit {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const origin = new URL(baseUrl).origin
  const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', ...init.headers }
  return { ...init, headers }
}
