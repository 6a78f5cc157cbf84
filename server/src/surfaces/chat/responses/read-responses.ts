import {
  cancelResponse,
  deleteResponse,
  findResponse,
  inputRange,
  listItems,
  type ItemsRequest,
  responseFaults,
  type Place,
  type StoredResponse,
} from '#features/responses/index.ts'
import type { CallerAgent } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { backgroundShape, streamBackground } from './background-response.ts'
import { holdStream } from './background-streams.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { itemShape, storedShape } from './response-shape.ts'
import { readIdOrNone, readItemId, wireId } from './wire-ids.ts'

/** GET /api/v1/responses/{id}; a background response can be streamed from any of its events. */
export async function getResponse(ctx: Context, c: Http, agent: CallerAgent): Promise<Response> {
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const { stream = 'false', starting_after: after = '-1' } = c.req.query()
  if (stream !== 'true' && stream !== 'false') throw invalid('`stream` must be true or false')
  requireIncludes(c)
  if (!/^-1$|^\d{1,9}$/.test(after))
    throw invalid('`starting_after` must be the number of an event')
  const response = await findResponse(ctx, place, idOf(c))
  if (stream === 'true') {
    if (!response.isBackground) throw new Fault(responseFaults.not_background)
    const slot = holdStream(ctx, place.agentId)
    return streamBackground(ctx, c, place, response, { after: Number(after), slot })
  }
  const model = response.answer?.model ?? null
  if (model !== null && agent.settings.fallback_models.length > 0) c.header('X-Model', model)
  return c.json(await shapeOf(ctx, response))
}

/** Refuses what a new response refuses, too. Clients write a list with or without brackets. */
function requireIncludes(c: Http): void {
  const included = [...(c.req.queries('include') ?? []), ...(c.req.queries('include[]') ?? [])]
  if (included.some((one) => one !== 'reasoning.encrypted_content'))
    throw invalid('`include` must contain nothing but reasoning.encrypted_content')
  if ((c.req.query('include_obfuscation') ?? 'false') !== 'false')
    throw invalid('`include_obfuscation` must be false')
}

/** POST /api/v1/responses/{id}/cancel */
export async function cancel(ctx: Context, c: Http, place: Place): Promise<Response> {
  return c.json(await shapeOf(ctx, await cancelResponse(ctx, place, idOf(c))))
}

async function shapeOf(ctx: Context, response: StoredResponse) {
  return response.isBackground ? await backgroundShape(ctx, response) : storedShape(response)
}

/** DELETE /api/v1/responses/{id} */
export async function removeResponse(ctx: Context, c: Http, place: Place): Promise<Response> {
  const id = idOf(c)
  await deleteResponse(ctx, place, id)
  return c.json({ id: wireId('response', id), object: 'response', deleted: true })
}

/** GET /api/v1/responses/{id}/input_items */
export async function listInputItems(ctx: Context, c: Http, place: Place): Promise<Response> {
  const response = await findResponse(ctx, place, idOf(c))
  const range = await inputRange(ctx, response)
  if (range === null) return c.json(listShape([], false))
  const { items, hasMore } = await listItems(ctx, range, readPage(c))
  return c.json(listShape(items.map(itemShape), hasMore))
}

/** A list in OpenAI's shape. */
export function listShape(data: readonly { readonly id: string }[], hasMore: boolean) {
  const [first, last] = [data[0], data.at(-1)]
  return {
    object: 'list',
    data,
    first_id: first?.id ?? null,
    last_id: last?.id ?? null,
    has_more: hasMore,
  }
}

/** The query of a list of items, with OpenAI's defaults. */
export function readPage(c: Http): ItemsRequest {
  const { limit = '20', order = 'desc', after } = c.req.query()
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw invalid('`limit` must be a number from 1 to 100')
  if (order !== 'asc' && order !== 'desc') throw invalid('`order` must be asc or desc')
  const last = after === undefined || after === '' ? null : readItemId(after)
  if (last === null && after) throw invalid('`after` must be the id of an item')
  return { limit: Number(limit), order, after: last }
}

function idOf(c: Http): string {
  return readIdOrNone('response', c.req.param('id') ?? '')
}
