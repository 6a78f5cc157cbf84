import { deleteSession, recountMessage } from '#features/analytics/index.ts'
import {
  appendMessages,
  blankMessages,
  createSession,
  requireMessageRoom,
  type CallerAgent,
  type TranscriptMessage,
} from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { findItemRow } from './item-store.ts'
import { findMetadata, putMetadata } from './metadata-store.ts'
import { responseFaults as faults } from './response-faults.ts'
import { findResponseOfAnswer, findSession, type Place } from './response-store.ts'
import { deleteTexts, endRun } from './run-store.ts'
import { isNamed, itemsOf, type ItemName, type StoredItem } from './stored-item.ts'

/** Sessions as the conversations of OpenAI's API. */
export interface Conversation {
  readonly sessionId: string
  readonly createdAt: number
  readonly metadata: Readonly<Record<string, string>>
}

type Metadata = Conversation['metadata']

interface Beginning {
  readonly agent: CallerAgent
  readonly correlationId: string | null
  readonly messages: readonly TranscriptMessage[]
  readonly metadata: Metadata
}

/** @throws Fault limit_reached */
export async function createConversation(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { agent, correlationId, messages, metadata }: Beginning,
): Promise<Conversation> {
  requireMessageRoom(ctx, agent)
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const createdAt = ctx.clock.now()
  const beginning = { agent, source: 'api', endUser: null, correlationId, messages }
  const sessionId = await ctx.db.write(async (tx) => {
    const id = await createSession(ctx, tx, beginning)
    await putMetadata(tx, place, id, metadata)
    return id
  })
  return { sessionId, createdAt, metadata }
}

/** @throws Fault conversation_unknown */
export async function findConversation(
  { db }: Pick<Context, 'db'>,
  place: Place,
  id: string,
): Promise<Conversation> {
  const session = await findSession(db.read, place, id)
  if (session === undefined) throw new Fault(faults.conversation_unknown)
  const metadata = await findMetadata(db.read, id)
  return { sessionId: id, createdAt: session.created_at, metadata }
}

/** @throws Fault conversation_unknown */
export async function updateConversation(
  ctx: Pick<Context, 'db'>,
  place: Place,
  id: string,
  metadata: Metadata,
): Promise<Conversation> {
  await ctx.db.write(async (tx) => {
    if ((await findSession(tx, place, id)) === undefined)
      throw new Fault(faults.conversation_unknown)
    await putMetadata(tx, place, id, metadata)
  })
  return await findConversation(ctx, place, id)
}

/** Deletes a conversation with its items and responses. @throws Fault conversation_unknown */
export async function deleteConversation(
  ctx: Pick<Context, 'db'>,
  place: Place,
  id: string,
): Promise<void> {
  await findConversation(ctx, place, id)
  await deleteSession(ctx.db, place, id)
}

/**
 * Adds items that no model answers.
 *
 * @returns the number of the first message
 * @throws Fault conversation_unknown, limit_reached, session_queue_full, turn_aborted
 */
export async function addItems(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  id: string,
  { agent, correlationId, messages }: Omit<Beginning, 'metadata'>,
  signal: AbortSignal,
): Promise<number> {
  await findConversation(ctx, { workspaceId: agent.workspaceId, agentId: agent.id }, id)
  requireMessageRoom(ctx, agent)
  const addition = { agentId: agent.id, sessionId: id, correlationId, messages }
  return await appendMessages(ctx, addition, signal)
}

/** @throws Fault conversation_unknown, item_unknown */
export async function findConversationItem(
  ctx: Pick<Context, 'db'>,
  place: Place,
  id: string,
  name: ItemName,
): Promise<StoredItem> {
  await findConversation(ctx, place, id)
  const row = await findItemRow(ctx.db.read, { sessionId: id, first: 1 }, name.messageId)
  const item = row && itemsOf(row).find((one) => isNamed(one, name))
  if (item === undefined) throw new Fault(faults.item_unknown)
  return item
}

/**
 * Deletes an item. The text and the calls of an answer belong to one message, so they are deleted together,
 * with what a background response has streamed of it.
 *
 * @throws Fault conversation_unknown, item_unknown
 */
export async function deleteItem(
  ctx: Pick<Context, 'db' | 'jobs'>,
  place: Place,
  id: string,
  name: ItemName,
): Promise<Conversation> {
  await findConversationItem(ctx, place, id, name)
  await ctx.db.write(async (tx) => {
    const { messageId } = name
    const message = { workspaceId: place.workspaceId, sessionId: id, messageId }
    await recountMessage(tx, ctx, message, () => blankMessages(tx, id, [messageId]))
    const response = await findResponseOfAnswer(tx, place, name.messageId)
    if (response === undefined || response.status === 'direct') return
    // Its answer is stored: a job that has not ended it yet must not store the rest of its text.
    await endRun(tx, response.id, { status: 'ended', errorCode: null })
    await deleteTexts(tx, response.id)
  })
  return await findConversation(ctx, place, id)
}
