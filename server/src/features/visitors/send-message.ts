import { findAgentOfPage, startTurn, type Citation, type Turn } from '#features/turns/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { countingFiles, type VisitorFile } from './visitor-files.ts'
import { beginInTurn } from './begin-in-turn.ts'
import { allowedCitations } from './allowed-cards.ts'
import { countingShare } from './address-share.ts'
import { countingMessage } from './daily-budget.ts'
import { limitVisitor } from './limit-visitor.ts'
import { checksAnswers, isAllowed, isFileTextAllowed, type Moderated } from './moderation.ts'
import type { OpenPage } from './open-page.ts'
import { requireProof } from './proof-of-work.ts'
import { questionAgain, questionOf, type Question } from './question-of.ts'
import { requireOwnConversation } from './visitor-conversations.ts'
import { endUserOf } from './visit.ts'
import type { VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

export interface VisitorMessage {
  readonly text: string
  readonly files: readonly VisitorFile[]
  /** Null begins a conversation. */
  readonly conversationId: string | null
  /** The id of an earlier message of the conversation, which is asked again; null for what is brought. */
  readonly again: string | null
  /** The visitor's address. */
  readonly address: string
  readonly requestId: string | null
  /** A proof of work, or the token of a captcha; null for none. */
  readonly proof: string | null
  /** What the visitor reads in place of an answer that may not be shown. */
  readonly withheld: string
}

interface BegunMessage {
  readonly turn: Turn
  readonly hasTools: boolean
}

/** The channel of visitors. */
const source = 'page'

/**
 * Sends a message of a visitor to the agent.
 *
 * @throws Fault page_paused, message_empty, files_refused, file_count, file_bytes, image_unreadable, message_too_long, record_not_found (also for a conversation
 *   of another visitor), proof_required, captcha_required, visitor_limited, message_refused, daily_budget_used, and what `startTurn` throws
 */
export async function sendMessage(
  ctx: Context,
  page: OpenPage,
  visit: VisitClaims,
  message: VisitorMessage,
  signal: AbortSignal,
): Promise<BegunMessage> {
  const { settings, workspaceId } = page
  const { files, conversationId, again } = message
  if (settings.paused) throw new Fault(faults.page_paused)
  const brought = again === null ? questionOf(ctx, page, message) : null
  const begin = () => beginMessage(ctx, page, visit, { ...message, brought }, signal)
  const hasHook = settings.moderation_url !== ''
  const isShort = conversationId === null && files.length === 0 && !hasHook
  return isShort ? await beginInTurn(ctx, workspaceId, signal, begin) : await begin()
}

async function beginMessage(
  ctx: Context,
  page: OpenPage,
  visit: VisitClaims,
  message: VisitorMessage & { readonly brought: Question | null },
  signal: AbortSignal,
): Promise<BegunMessage> {
  const { workspaceId, agentId } = page
  const { conversationId, again: messageId, brought } = message
  await admit(ctx, page, visit, message)
  if (conversationId !== null) await requireOwnConversation(ctx, page, visit, conversationId)
  const of = { conversationId, messageId: messageId ?? '' }
  const { text, parts, words, fileCount } = brought ?? (await questionAgain(ctx, page, of))
  const moderated = { conversationId, endUser: endUserOf(visit) }
  if (!(await isAllowed(ctx, page, { stage: 'message', text: words, ...moderated })))
    throw new Fault(faults.message_refused)
  const request = {
    source,
    sessionId: conversationId,
    messages: [{ role: 'user', content: text, ...(parts !== null && { parts }) }] as const,
    store: true,
    stream: true,
    endUser: endUserOf(visit),
    user: visit.user,
    correlationId: message.requestId,
    countSummary: (ask: () => Promise<void>) => countSummary(ctx, page, ask),
    ...reviewsOf(ctx, page, moderated, message.withheld),
  }
  const start = async () => {
    const agent = await findAgentOfPage(ctx, { workspaceId, agentId })
    return { turn: await startTurn(ctx, { ...request, agent }, signal), hasTools: agent.hasTools }
  }
  const { address } = message
  const counted = { visitor: endUserOf(visit), fileCount, address }
  const messages = 1 + fileCount
  const startCounted = () =>
    countingShare(ctx, page, visit, { messages, address }, () =>
      countingFiles(ctx, page, counted, start),
    )
  return await countingMessage(ctx, page, messages, startCounted)
}

/** What moderation decides while the message is answered. */
function reviewsOf(
  ctx: Context,
  page: OpenPage,
  moderated: Pick<Moderated, 'conversationId' | 'endUser'>,
  withheld: string,
) {
  const reviewFiles = async (text: string) => {
    if (!(await isFileTextAllowed(ctx, page, { ...moderated, stage: 'message', text })))
      throw new Fault(faults.message_refused)
  }
  if (!checksAnswers(page)) return { reviewFiles }
  const review = async (text: string) =>
    (await isAllowed(ctx, page, { ...moderated, stage: 'answer', text })) ? null : withheld
  const reviewCitations = (citations: readonly Citation[]) =>
    allowedCitations(ctx, page, moderated, citations)
  return { reviewFiles, review, reviewCitations }
}

/**
 * The limits of the visitor and the address come first: what they refuse must not bring the agent under
 * pressure, which would let one address put everybody behind a proof. A message that needs one counts when
 * it is sent again with it.
 *
 * @throws Fault visitor_limited, proof_required, captcha_required
 */
async function admit(
  ctx: Context,
  page: OpenPage,
  visit: VisitClaims,
  message: VisitorMessage,
): Promise<void> {
  const giveBack = await limitVisitor(ctx, 'visitor', page, visit, message.address)
  try {
    await requireProof(ctx, page, visit, message)
  } catch (error) {
    await giveBack()
    throw error
  }
}

/** Asks for a summary of a conversation, which counts like a message. Without budget there is none. */
async function countSummary(ctx: Context, page: OpenPage, ask: () => Promise<void>): Promise<void> {
  try {
    await countingMessage(ctx, page, 1, ask)
  } catch (error) {
    if (!isFault(error, faults.daily_budget_used)) throw error
  }
}
