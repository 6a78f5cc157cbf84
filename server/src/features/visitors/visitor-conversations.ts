import {
  getConversation,
  isOfVisitor,
  listVisitorConversations,
  settleVisitor,
  type ConversationMessage,
  type Rating,
} from '#features/conversations/index.ts'
import { rateAnswer } from '#features/analytics/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { OpenPage } from './open-page.ts'
import { endUserOf, mayJoin } from './visit.ts'
import type { VisitClaims } from './visit-token.ts'

type Reading = Pick<Context, 'db' | 'clock'>

/** The newest conversations that a visitor can continue; older ones stay in the dashboard. */
const mostConversations = 50
/** The messages of one page; a longer conversation is read in several. */
const messagesAtOnce = 100

/** The visitor's conversations on the agent's page, newest first. */
export async function listOwnConversations(ctx: Reading, page: OpenPage, visit: VisitClaims) {
  const { agentId } = page
  const of = { agentId, endUser: endUserOf(visit), limit: mostConversations }
  return await listVisitorConversations(ctx, of)
}

export interface OwnMessages {
  readonly messages: readonly ConversationMessage[]
  readonly nextCursor: string | null
}

/**
 * A page of what a visitor and the agent have said, oldest first.
 *
 * @throws Fault record_not_found
 */
export async function readOwnConversation(
  ctx: Reading,
  page: OpenPage,
  visit: VisitClaims,
  { id, cursor }: { readonly id: string; readonly cursor: string | undefined },
): Promise<OwnMessages> {
  await requireOwnConversation(ctx, page, visit, id)
  const { messages } = await getConversation(ctx, page.workspaceId, id, {
    limit: messagesAtOnce,
    ...(cursor === undefined ? {} : { cursor }),
  })
  const spoken = messages.items.filter(({ role }) => role === 'user' || role === 'assistant')
  return { messages: spoken, nextCursor: messages.nextCursor }
}

/** @throws Fault record_not_found */
export async function rateOwnAnswer(
  ctx: Reading,
  page: OpenPage,
  visit: VisitClaims,
  given: {
    readonly conversationId: string
    readonly messageId: string
    readonly rating: Rating | null
    readonly comment: string | null
  },
): Promise<void> {
  const { conversationId: sessionId, messageId, rating, comment } = given
  await requireOwnConversation(ctx, page, visit, sessionId)
  const { workspaceId, agentId } = page
  await rateAnswer(ctx, { workspaceId, agentId }, { sessionId, messageId, rating, comment })
}

/** After an answer: the host may have identified the visitor while it was written. */
export async function settleVisit(
  ctx: Pick<Context, 'db'>,
  { workspaceId, agentId }: OpenPage,
  visit: VisitClaims,
): Promise<void> {
  if (mayJoin(visit)) await settleVisitor(ctx, { workspaceId, agentId, endUser: endUserOf(visit) })
}

/** @throws Fault record_not_found, which does not reveal which conversations exist */
export async function requireOwnConversation(
  { db }: Pick<Context, 'db'>,
  { agentId }: OpenPage,
  visit: VisitClaims,
  id: string,
): Promise<void> {
  const of = { agentId, endUser: endUserOf(visit), id }
  if (!(await isOfVisitor({ db }, of))) throw new Fault(commonFaults.record_not_found)
}
