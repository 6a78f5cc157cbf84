import { listActionCalls } from '#features/tool-calls/index.ts'
import type { Turn } from '#features/turns/index.ts'
import {
  allowedCards,
  requireRoomForMessage,
  sendMessage,
  settleVisit,
  type VisitorFile,
} from '#features/visitors/index.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { dataFrame, eventStream, type EventSink } from '#surfaces/http/event-stream.ts'
import { visitOf, type ActingVisitor } from './acting-visitor.ts'
import { invalid, requireId } from './conversations.ts'
import { toPublicFault } from './public-faults.ts'
import { awaiting, shownCitations } from './shown-answer.ts'
import { languageOf } from './texts/texts.ts'

/** A character takes at most six bytes in JSON. */
const bytesPerCharacter = 6
/** The longest token of a captcha has 8 kB. */
const bytesBeside = 12_288

/** POST /chat/{app}/messages: the answer as a stream of events: start, text …, then done or error. */
export async function answerMessage(ctx: Context, c: Http): Promise<Response> {
  ctx.admission.admit('chat')
  const { page, visit } = await visitOf(ctx, c)
  const address = clientAddress(c, ctx.config)
  // A body with files has megabytes, so it is read only for a message that may be accepted.
  if (page.settings.visitor_files) await requireRoomForMessage(ctx, page, visit, address)
  const { message_characters: characters, visitor_files: takesFiles } = page.settings
  const fileBytes = takesFiles ? Math.ceil((ctx.config.visitorFileBytes * 4) / 3) : 0
  const mostBytes = characters * bytesPerCharacter + bytesBeside + fileBytes
  const body = await readJson(c.req, Math.min(mostBytes, ctx.config.maxBodyBytes))
  const { text, files, conversation_id: id, again, proof } = isObject(body) ? body : {}
  const message = {
    text: typeof text === 'string' ? text : '',
    files: readFiles(files),
    conversationId: id === undefined || id === null ? null : requireId(id),
    again: again === undefined || again === null ? null : requireId(again),
    address,
    requestId: c.get('requestId'),
    proof: typeof proof === 'string' ? proof : null,
    withheld: languageOf(c.req.header('accept-language')).texts.withheld,
  }
  return await ctx.db.forTenant(page.workspaceId, async () => {
    const begun = await sendMessage(ctx, page, visit, message, c.req.raw.signal)
    return eventStream(c, ctx, (sink) => streamAnswer(ctx, c, { ...begun, page, visit }, sink))
  })
}

const longestName = 200

/** What the visitor attached: each a name and a `data:` URL in base64. */
function readFiles(value: unknown): VisitorFile[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid('files')
  return value.map((file: unknown) => {
    const { name, data } = isObject(file) ? file : {}
    if (typeof name !== 'string' || typeof data !== 'string') throw invalid('files')
    const [head = '', mediaType] = /^data:([\w.+/-]{0,100})[^,]{0,100};base64,/.exec(data) ?? []
    if (mediaType === undefined) throw invalid('files')
    return { name: name.slice(0, longestName), mediaType, data: data.slice(head.length) }
  })
}

interface Answering extends ActingVisitor {
  readonly turn: Turn
  readonly hasTools: boolean
}

async function streamAnswer(
  ctx: Context,
  c: Http,
  { turn, hasTools, page, visit }: Answering,
  sink: EventSink,
): Promise<void> {
  const { sessionId, messageId } = turn
  const send = (event: object) => sink.write(dataFrame(JSON.stringify(event)))
  try {
    await send({ type: 'start', conversation_id: sessionId, message_id: messageId })
    const { citations } = await answered(ctx, { turn, page, visit }, (texts) => {
      const text = texts.join('')
      return text === '' ? undefined : send({ type: 'text', text })
    })
    const calls = hasTools ? await listActionCalls(ctx, ctx.db.read, sessionId, [messageId]) : []
    const waiting = { conversationId: sessionId, cards: awaiting(calls) }
    const confirm = await allowedCards(ctx, page, visit, waiting)
    await send({ type: 'done', citations: shownCitations(citations), confirm })
  } catch (error) {
    const about = { requestId: c.get('requestId'), sessionId }
    if (c.req.raw.signal.aborted) ctx.log.info(about, 'a visitor disconnected')
    else ctx.log.warn({ ...about, err: error }, 'an answer to a visitor failed')
    const { code, facts } = toPublicFault(error)
    await send({ type: 'error', code, ...facts })
  }
}

async function answered(
  ctx: Context,
  { turn, page, visit }: Omit<Answering, 'hasTools'>,
  write: Parameters<Turn['answer']>[0],
) {
  try {
    return await turn.answer(write)
  } finally {
    await settleVisit(ctx, page, visit)
  }
}
