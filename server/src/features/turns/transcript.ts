import { analyseQuery } from '#features/text-analysis/index.ts'
import type { ContentPart, ModelMessage } from '#platform/models/model.ts'

/** The roles of history as clients send them; `developer` is OpenAI's newer word for `system`. */
export const messageRoles = ['user', 'assistant', 'system', 'developer', 'tool'] as const
export type MessageRole = (typeof messageRoles)[number]

/** One message of a conversation, incoming or stored. */
export interface TranscriptMessage {
  readonly role: MessageRole
  /** All text of the message. */
  readonly content: string
  /** Present when the message holds more than text. */
  readonly parts?: readonly ContentPart[]
}

/**
 * Messages as the database returns them: malformed Unicode and U+0000 are stored as U+FFFD on both
 * engines. Clients resend what they sent, and the model must see the same on the first turn and on
 * later ones.
 */
export function asStored(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return messages.map((message) => {
    const content = message.content.toWellFormed().replaceAll('\u0000', '\uFFFD')
    return content === message.content ? message : { ...message, content }
  })
}

/**
 * What is new in `incoming` for a session that already holds `stored`.
 *
 * Clients of the OpenAI kind resend the whole conversation each turn: when `incoming` begins with
 * the whole stored transcript that beginning is dropped, otherwise all of it is new. The last user
 * message is never dropped: it is what this turn asks.
 */
export function dropResentBeginning(
  stored: readonly TranscriptMessage[],
  incoming: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  const resent = stored.length <= incoming.length && stored.every((m, i) => same(m, incoming[i]))
  if (!resent) return incoming
  const lastUser = incoming.findLastIndex((message) => message.role === 'user')
  return incoming.slice(lastUser === -1 ? stored.length : Math.min(stored.length, lastUser))
}

/** The text of the last user message: what retrieval searches for. */
export function lastQuestion(messages: readonly TranscriptMessage[]): string {
  return messages.findLast((message) => message.role === 'user')?.content ?? ''
}

/**
 * False for a greeting or thanks: no question mark, and at most one word that a search would look
 * for.
 */
export function isQuestion(text: string): boolean {
  return /[?？؟]/.test(text) || analyseQuery(text).length > 1
}

/**
 * The transcript in the roles that models know.
 *
 * @param sees false leaves out the images of earlier turns, when the agent had a model that sees
 */
export function toModelMessages(
  transcript: readonly TranscriptMessage[],
  sees: boolean,
): ModelMessage[] {
  const shown: readonly TranscriptMessage[] = sees
    ? transcript
    : transcript.map(({ role, content }) => ({ role, content }))
  return shown.filter((m) => m.content !== '' || m.parts !== undefined).map(toModelMessage)
}

function toModelMessage({ role, content, parts }: TranscriptMessage): ModelMessage {
  switch (role) {
    case 'developer':
      return { role: 'system', content }
    case 'tool':
      // The client ran this tool; its result is data that the model may read.
      return { role: 'user', content: `Result of a tool that the client ran:\n${content}` }
    default:
      return { role, content: parts ?? content }
  }
}

function same(stored: TranscriptMessage, incoming: TranscriptMessage | undefined): boolean {
  return (
    incoming !== undefined && stored.role === incoming.role && stored.content === incoming.content
  )
}
