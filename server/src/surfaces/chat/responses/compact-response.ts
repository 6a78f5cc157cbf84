import { compact, findEndUser } from '#features/responses/index.ts'
import { findCallerAgent, type ChatCaller, type MessagePart } from '#features/turns/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { noteUse } from '#surfaces/chat/completions.ts'
import { requireInstructions } from './create-response.ts'
import { readCompactRequest } from './read-response-request.ts'
import { resolveWithFiles } from './resolve-items.ts'
import { messageShape, usageShape } from './response-shape.ts'
import { wireId } from './wire-ids.ts'

/** POST /api/v1/responses/compact: what the next request can send instead of a long conversation. */
export async function compactResponse(
  ctx: Context,
  c: Http,
  caller: ChatCaller,
): Promise<Response> {
  const body = await readJson(c.req, ctx.config.maxBodyBytes)
  const request = readCompactRequest(body, ctx.config)
  const agent = await findCallerAgent(ctx, caller, request.model)
  requireInstructions(request, agent)
  const { keyId } = caller
  const { previousResponseId, instructions } = request
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const continued = { previousResponseId, conversationId: null }
  const endUser = await findEndUser(ctx, place, continued)
  const reader = { agent, keyId, endUser, store: false }
  const messages = await resolveWithFiles(
    ctx,
    reader,
    { ...continued, items: request.items },
    c.req.raw.signal,
  )
  const of = { agent, keyId, correlationId: c.get('requestId'), instructions }
  const asked = { ...of, previousResponseId, messages }
  const { users, sealed, usage } = await compact(ctx, asked, c.req.raw.signal)
  noteUse(ctx, c, caller)
  const now = ctx.clock.now()
  const id = newId(now)
  const kept = users.map(({ content: text, parts = null }) =>
    messageShape({
      messageId: newId(now),
      role: 'user',
      text,
      parts: withoutFiles(parts),
      ...plain,
    }),
  )
  const cmp = `cmp_${newId(now).replaceAll('-', '')}`
  return c.json({
    id: wireId('response', id),
    object: 'response.compaction',
    created_at: Math.floor(now / 1000),
    output: [...kept, { type: 'compaction', id: cmp, encrypted_content: sealed }],
    usage: usageShape(usage),
  })
}

/** The output is the next input. It needs no files, because the summary covers their content. */
function withoutFiles(parts: readonly MessagePart[] | null): readonly MessagePart[] | null {
  if (parts === null) return null
  return parts.map((part) =>
    part.type === 'file' ? { type: 'text', text: `[File ${part.name}]` } : part,
  )
}

const plain = { refusedFrom: null, citations: [], isComplete: true, hasCalls: false }
