import {
  allowedCards,
  listOwnConversations,
  rateOwnAnswer,
  readOwnConversation,
} from '#features/visitors/index.ts'
import { maxComment } from '#features/analytics/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { visitOf } from './acting-visitor.ts'
import { awaiting, shownCitations } from './shown-answer.ts'

/** GET /chat/{app}/conversations: those of this visitor. */
export async function listConversations(ctx: Context, c: Http): Promise<Response> {
  const { page, visit } = await visitOf(ctx, c)
  const found = await listOwnConversations(ctx, page, visit)
  const items = found.map(({ id, question, lastMessageAt }) => ({
    id,
    question: question ?? '',
    last_message_at: lastMessageAt,
  }))
  return c.json({ items })
}

/** GET /chat/{app}/conversations/{id} */
export async function readConversation(ctx: Context, c: Http): Promise<Response> {
  const { page, visit } = await visitOf(ctx, c)
  const asked = { id: requireId(c.req.param('id')), cursor: c.req.query('cursor') }
  const { messages, nextCursor } = await readOwnConversation(ctx, page, visit, asked)
  const cards = nextCursor === null ? awaiting(messages.at(-1)?.actionCalls ?? []) : []
  const waiting = { conversationId: asked.id, cards }
  return c.json({
    messages: messages.map(({ id, role, content, citations, rating, errorCode, hasParts }) => ({
      id,
      role,
      text: content,
      attached: hasParts,
      citations: shownCitations(citations),
      rating,
      incomplete: errorCode !== null,
    })),
    next_cursor: nextCursor,
    confirm: await allowedCards(ctx, page, visit, waiting),
  })
}

/** POST /chat/{app}/ratings */
export async function rate(ctx: Context, c: Http): Promise<Response> {
  const { page, visit } = await visitOf(ctx, c)
  const body = await readJson(c.req, maxRatingBytes)
  const { conversation_id, message_id, rating, comment } = isObject(body) ? body : {}
  if (rating !== 'up' && rating !== 'down' && rating !== null) throw invalid('rating')
  const given = {
    conversationId: requireId(conversation_id),
    messageId: requireId(message_id),
    rating,
    comment: readComment(comment),
  } as const
  await ctx.db.forTenant(page.workspaceId, () => rateOwnAnswer(ctx, page, visit, given))
  return c.json({ rating })
}

const maxRatingBytes = 64 * 1024

function readComment(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || value.length > maxComment || !value.isWellFormed())
    throw invalid('comment')
  if (value.includes('\0')) throw invalid('comment')
  return value
}

export function requireId(value: unknown): string {
  const id = typeof value === 'string' ? value.toLowerCase() : ''
  if (!isUuid(id)) throw invalid('id')
  return id
}

export function invalid(field: string): Fault {
  return new Fault(commonFaults.invalid_input, { issues: [`${field}: is not valid`] })
}
