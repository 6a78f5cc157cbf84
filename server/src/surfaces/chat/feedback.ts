import { maxComment, rateAnswer, type AnswerRating } from '#features/analytics/index.ts'
import { turnFaults } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { isObject } from '#kernel/json.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import { authenticate, completionId, limitCaller } from './completions.ts'
import { invalid } from './chat-request-faults.ts'
import { readSessionId } from './read-request.ts'

/**
 * POST /api/v1/chat/feedback: a user's rating of an answer. It counts as a request for the rate
 * limit; the latest rating of an answer applies.
 */
export async function receiveFeedback(ctx: Context, c: Http): Promise<Response> {
  const caller = await authenticate(ctx, c)
  await limitCaller(ctx, caller)
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  const given = readFeedback(body, c.req.header('x-chat-session-id'))
  // The agent of this key was deleted.
  if (caller.agent === null) throw new Fault(turnFaults.session_unknown)
  const place = { workspaceId: caller.workspaceId, agentId: caller.agent.id }
  const { sessionId, messageId, rating, comment } = await ctx.db.forTenant(place.workspaceId, () =>
    rateAnswer(ctx, place, given),
  )
  return c.json({ chatSessionId: sessionId, messageId: completionId(messageId), rating, comment })
}

/** @throws Fault request_invalid */
function readFeedback(body: unknown, headerSessionId: string | undefined): AnswerRating {
  const fields = isObject(body) ? body : {}
  const sessionId = readSessionId(fields.chatSessionId, headerSessionId)
  if (sessionId === null) throw invalid('`chatSessionId` is required')
  return {
    sessionId,
    messageId: readMessageId(fields.messageId),
    rating: readRating(fields.rating),
    comment: readComment(fields.comment),
  }
}

/** The `id` of an answer, with or without its prefix. */
function readMessageId(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const hex = typeof value === 'string' ? value.replace(/^chatcmpl-/, '').replaceAll('-', '') : ''
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toLowerCase()
  if (!isUuid(id)) throw invalid('`messageId` must be the id of an answer')
  return id
}

function readRating(value: unknown): AnswerRating['rating'] {
  switch (value) {
    case 'up':
    case 1:
      return 'up'
    case 'down':
    case -1:
      return 'down'
    case null:
      return null
    default:
      throw invalid('`rating` must be "up", "down" or null')
  }
}

function readComment(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw invalid('`comment` must be a string')
  if (!value.isWellFormed() || value.includes('\0'))
    throw invalid('`comment` must be well-formed Unicode without the character U+0000')
  if (value.length > maxComment)
    throw invalid(`\`comment\` must have at most ${maxComment} characters`)
  return value
}
