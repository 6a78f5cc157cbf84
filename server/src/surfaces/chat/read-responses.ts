import {
  deleteResponse,
  findResponse,
  listItems,
  type ItemsRequest,
  type Place,
} from '#features/responses/index.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { invalid } from './chat-request-faults.ts'
import { itemShape, storedShape } from './response-shape.ts'
import { readWireId, wireId } from './wire-ids.ts'

/** GET /api/v1/responses/{id} */
export async function getResponse(ctx: Context, c: Http, place: Place): Promise<Response> {
  if (c.req.query('stream') === 'true')
    throw invalid('`stream` must be false: only a background response can be streamed later')
  return c.json(storedShape(await findResponse(ctx, place, idOf(c))))
}

/** DELETE /api/v1/responses/{id} */
export async function removeResponse(ctx: Context, c: Http, place: Place): Promise<Response> {
  const id = idOf(c)
  await deleteResponse(ctx, place, id)
  return c.json({ id: wireId('response', id), object: 'response', deleted: true })
}

/** GET /api/v1/responses/{id}/input_items */
export async function listInputItems(ctx: Context, c: Http, place: Place): Promise<Response> {
  const { sessionId, firstSeq: first, answer } = await findResponse(ctx, place, idOf(c))
  const end = answer === null ? {} : { end: answer.seq }
  const { items, hasMore } = await listItems(ctx, { sessionId, first, ...end }, readPage(c))
  return c.json(listShape(items.map(itemShape), items, hasMore))
}

/** A list in OpenAI's shape. */
export function listShape(
  data: readonly object[],
  items: readonly { id: string }[],
  hasMore: boolean,
) {
  const [first, last] = [items[0], items.at(-1)]
  return {
    object: 'list',
    data,
    first_id: first === undefined ? null : wireId('message', first.id),
    last_id: last === undefined ? null : wireId('message', last.id),
    has_more: hasMore,
  }
}

/** The query of a list of items, with OpenAI's defaults. */
export function readPage(c: Http): ItemsRequest {
  const { limit = '20', order = 'desc', after } = c.req.query()
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw invalid('`limit` must be a number from 1 to 100')
  if (order !== 'asc' && order !== 'desc') throw invalid('`order` must be asc or desc')
  const last = after === undefined || after === '' ? null : readWireId('message', after)
  if (last === null && after) throw invalid('`after` must be the id of an item')
  return { limit: Number(limit), order, after: last }
}

/** An id that no record has is answered like one of another agent. */
function idOf(c: Http): string {
  return readWireId('response', c.req.param('id') ?? '') ?? '00000000-0000-0000-0000-000000000000'
}
