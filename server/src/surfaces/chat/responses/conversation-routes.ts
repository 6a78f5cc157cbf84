import type { Hono } from 'hono'
import {
  addItems,
  createConversation,
  deleteConversation,
  deleteItem,
  findConversation,
  findConversationItem,
  findEndUser,
  listItems,
  updateConversation,
  type Conversation,
} from '#features/responses/index.ts'
import type { CallerAgent } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { readItems } from './read-items.ts'
import { isMetadata, metadataRule } from './read-response-request.ts'
import { listShape, readPage } from './read-responses.ts'
import { resolveWithFiles } from './resolve-items.ts'
import { itemShape } from './response-shape.ts'
import { noId, readIdOrNone, readItemId, wireId } from './wire-ids.ts'

type Handle = (ctx: Context, c: Http, agent: CallerAgent, keyId: string) => Promise<Response>

/** Sessions under the paths of OpenAI's conversations. */
export function addConversationRoutes(
  app: Hono<HttpEnvironment>,
  on: (handle: Handle) => (c: Http) => Promise<Response>,
): void {
  app.post('/conversations', on(create))
  app.get('/conversations/:id', on(retrieve))
  app.post('/conversations/:id', on(update))
  app.delete('/conversations/:id', on(remove))
  app.get('/conversations/:id/items', on(list))
  app.post('/conversations/:id/items', on(add))
  app.get('/conversations/:id/items/:item', on(retrieveItem))
  app.delete('/conversations/:id/items/:item', on(removeItem))
}

const create: Handle = async (ctx, c, agent, keyId) => {
  const { items, metadata } = await readBody(ctx, c, ['items', 'metadata'])
  const messages = isEmpty(items)
    ? []
    : await messagesOf(ctx, c, { agent, keyId, endUser: null }, { items, sessionId: null })
  const beginning = { agent, messages, metadata: readMetadata(metadata) }
  const correlationId = c.get('requestId')
  return c.json(shapeOf(await createConversation(ctx, { ...beginning, correlationId })))
}

/** OpenAI's clients send an empty list, too. */
function isEmpty(items: unknown): boolean {
  return items === undefined || items === null || (Array.isArray(items) && items.length === 0)
}

const retrieve: Handle = async (ctx, c, agent) =>
  c.json(shapeOf(await findConversation(ctx, placeOf(agent), idOf(c))))

const update: Handle = async (ctx, c, agent) => {
  const { metadata } = await readBody(ctx, c, ['metadata'])
  if (metadata === undefined) throw invalid(`\`metadata\` is required and ${metadataRule}`)
  const changed = readMetadata(metadata)
  return c.json(shapeOf(await updateConversation(ctx, placeOf(agent), idOf(c), changed)))
}

const remove: Handle = async (ctx, c, agent) => {
  const id = idOf(c)
  await deleteConversation(ctx, placeOf(agent), id)
  return c.json({
    id: wireId('conversation', id),
    object: 'conversation.deleted',
    deleted: true,
  })
}

const list: Handle = async (ctx, c, agent) => {
  const { sessionId } = await findConversation(ctx, placeOf(agent), idOf(c))
  const { items, hasMore } = await listItems(ctx, { sessionId, first: 1 }, readPage(c))
  return c.json(listShape(items.map(itemShape), hasMore))
}

const add: Handle = async (ctx, c, agent, keyId) => {
  const { items } = await readBody(ctx, c, ['items'])
  const sessionId = idOf(c)
  const continued = { previousResponseId: null, conversationId: sessionId }
  const endUser = await findEndUser(ctx, placeOf(agent), continued)
  const messages = await messagesOf(ctx, c, { agent, keyId, endUser }, { items, sessionId })
  const added = { agent, messages, correlationId: c.get('requestId') }
  const first = await addItems(ctx, sessionId, added, c.req.raw.signal)
  const range = { sessionId, first, end: first + messages.length }
  // The items came in one request, so they fit in one response.
  const all = { limit: ctx.config.maxRequestMessages, order: 'asc', after: null } as const
  const page = await listItems(ctx, range, all)
  return c.json(listShape(page.items.map(itemShape), page.hasMore))
}

const retrieveItem: Handle = async (ctx, c, agent) =>
  c.json(itemShape(await findConversationItem(ctx, placeOf(agent), idOf(c), itemOf(c))))

const removeItem: Handle = async (ctx, c, agent) =>
  c.json(shapeOf(await deleteItem(ctx, placeOf(agent), idOf(c), itemOf(c))))

function shapeOf({ sessionId, createdAt, metadata }: Conversation) {
  return {
    id: wireId('conversation', sessionId),
    object: 'conversation',
    created_at: Math.floor(createdAt / 1000),
    metadata,
  }
}

/** A field that is unknown is refused, as in a response. */
async function readBody(ctx: Context, c: Http, names: readonly string[]) {
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  if (!isObject(body)) throw invalid('The request body must be an object')
  const unknown = Object.entries(body).find(
    ([name, value]) => value !== null && !names.includes(name),
  )
  if (unknown !== undefined)
    throw invalid(`The request body must contain nothing but ${names.join(' and ')}`)
  return body
}

function readMetadata(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {}
  if (!isMetadata(value)) throw invalid(`\`metadata\` ${metadataRule}`)
  return value
}

async function messagesOf(
  ctx: Context,
  c: Http,
  caller: Omit<Parameters<typeof resolveWithFiles>[1], 'store'>,
  {
    items,
    sessionId: conversationId,
  }: { readonly items: unknown; readonly sessionId: string | null },
) {
  if (!Array.isArray(items)) throw invalid('`items` must be an array of items')
  const read = { items: readItems(items, 'items', ctx.config) }
  const input = { ...read, previousResponseId: null, conversationId }
  return await resolveWithFiles(ctx, { ...caller, store: true }, input, c.req.raw.signal)
}

function placeOf({ workspaceId, id }: CallerAgent) {
  return { workspaceId, agentId: id }
}

function idOf(c: Http): string {
  return readIdOrNone('conversation', c.req.param('id') ?? '')
}

function itemOf(c: Http) {
  return readItemId(c.req.param('item') ?? '') ?? { messageId: noId, call: null }
}
