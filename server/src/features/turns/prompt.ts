import { analyseQuery } from '#features/text-analysis/index.ts'
import type { ContentPart, ModelMessage, Passage, ToolCall } from '#platform/models/model.ts'
import { isContent, withoutUnread, type MessagePart, type ReadsParts } from './message-parts.ts'
import type { MessageRow } from './turn-columns.ts'

/** The roles in a history that clients send; `developer` is OpenAI's newer word for `system`. */
export const messageRoles = ['user', 'assistant', 'system', 'developer', 'tool'] as const
export type MessageRole = (typeof messageRoles)[number]

/** One message of a conversation, incoming or stored. */
export interface TranscriptMessage {
  readonly role: MessageRole
  /** All text of the message. */
  readonly content: string
  /** Present when the message holds more than text. */
  readonly parts?: readonly MessagePart[]
  /** Of an assistant: the calls of the caller's tools, whose results follow as `tool` messages. */
  readonly toolCalls?: readonly ToolCall[]
  /**
   * Of an assistant, beside `toolCalls`: what the model wrote and read in this turn, the calls of the
   * agent's own tools included. The model reads it again with the results; callers never see it.
   */
  readonly steps?: readonly ModelMessage[] | undefined
  /** Of an assistant that refused: where in the content the refusal begins. */
  readonly refusedFrom?: number
  /** Of a `tool` message: the call that it answers. */
  readonly toolCallId?: string
  readonly seq?: number | undefined // Its number in the session that it was loaded from.
}

/** The calls of a message and its refusal, as they are stored. */
export function callsOf(message: TranscriptMessage): string | null {
  const { toolCalls, steps, toolCallId, refusedFrom } = message
  if (toolCalls === undefined && toolCallId === undefined && refusedFrom === undefined) return null
  return JSON.stringify({ toolCalls, steps, toolCallId, refusedFrom })
}

/**
 * Messages as the database returns them: both engines store malformed Unicode and U+0000 as U+FFFD.
 * Clients resend their original text, and the model must read the same text in every turn.
 */
export function asStored(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return messages.map((message) => {
    const content = message.content.toWellFormed().replaceAll('\u0000', '\uFFFD')
    return content === message.content ? message : { ...message, content }
  })
}

/**
 * The messages of `incoming` that are new to a session with the transcript `stored`.
 *
 * OpenAI clients resend the whole conversation with each turn. If `incoming` begins with the whole
 * stored transcript, that beginning is dropped; otherwise every message is new. The last user message is
 * never dropped, because this turn answers it, unless results of tools follow it.
 */
export function dropResentBeginning(
  stored: readonly TranscriptMessage[],
  incoming: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  const resent = stored.length <= incoming.length && stored.every((m, i) => same(m, incoming[i]))
  if (!resent) return incoming
  if (incoming.at(-1)?.role === 'tool') return incoming.slice(stored.length)
  const lastUser = incoming.findLastIndex((message) => message.role === 'user')
  return incoming.slice(lastUser === -1 ? stored.length : Math.min(stored.length, lastUser))
}

type StoredMessage = Pick<
  MessageRow,
  'role' | 'content' | 'parts_json' | 'calls_json' | 'error_code'
> & { readonly seq?: number }

interface StoredTranscript {
  /** Without answers that failed before their first text. */
  readonly spoken: readonly TranscriptMessage[]
  readonly loadedCount: number
}

export function transcriptOf(messages: readonly StoredMessage[]): StoredTranscript {
  const spoken = messages.filter((row) => row.error_code === null || row.content !== '')
  return { spoken: spoken.map(toTranscriptMessage), loadedCount: messages.length }
}

function toTranscriptMessage(row: StoredMessage): TranscriptMessage {
  const { role, content, parts_json: parts, calls_json: calls, seq } = row
  // Only this feature writes these columns, and only from a TranscriptMessage.
  const message = { role: role as MessageRole, content, seq }
  if (parts === null && calls === null) return message
  return {
    ...message,
    ...(parts === null ? {} : { parts: JSON.parse(parts) as readonly MessagePart[] }),
    ...(calls === null ? {} : (JSON.parse(calls) as Pick<TranscriptMessage, 'toolCalls'>)),
  }
}

/** If part of the transcript was not loaded, it is longer than the request, so nothing was resent. */
export function freshMessages(
  stored: StoredTranscript,
  messageCount: number,
  incoming: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  return stored.loadedCount < messageCount ? incoming : dropResentBeginning(stored.spoken, incoming)
}

/** The text of the last user message, which retrieval searches for. */
export function lastQuestion(messages: readonly TranscriptMessage[]): string {
  return messages.findLast((message) => message.role === 'user')?.content ?? ''
}

/**
 * False for a greeting or thanks: text without a question mark and with at most one search term.
 */
export function isQuestion(text: string): boolean {
  return /[?？؟]/.test(text) || analyseQuery(text).length > 1
}

/** A message as models read it: files are text. */
export interface QuotedMessage extends Omit<TranscriptMessage, 'parts'> {
  readonly parts?: readonly ContentPart[]
}

/** Whether no message has a file. */
export function isQuoted(
  transcript: readonly TranscriptMessage[],
): transcript is readonly QuotedMessage[] {
  return !transcript.some(({ parts }) => parts?.some((part) => !isContent(part)))
}

/**
 * Whether a request has files that must be read before its turn begins, or reviewed: files that were read
 * before are reviewed again, because what may be said can have changed.
 */
export function mustReadFiles({
  messages,
  reviewFiles,
}: {
  readonly messages: readonly TranscriptMessage[]
  readonly reviewFiles?: unknown
}): boolean {
  return wantsFiles(messages) || (reviewFiles !== undefined && !isQuoted(messages))
}

/** Whether a request has files that are not read yet. */
export function wantsFiles(messages: readonly TranscriptMessage[]): boolean {
  return messages.some(({ parts }) => parts?.some(({ type }) => type === 'wanted_file'))
}

/**
 * The transcript in the roles that models know.
 *
 * @param model images and audio of earlier turns are left out if it does not read them
 */
export function toModelMessages(
  transcript: readonly QuotedMessage[],
  model: ReadsParts,
): ModelMessage[] {
  const shown =
    model.sees && model.fetches && model.hears
      ? transcript
      : transcript.map((message) =>
          message.parts === undefined ? message : withoutUnread(message, model),
        )
  if (shown.some(({ toolCalls }) => toolCalls !== undefined)) return withToolCalls(shown)
  return shown.filter(saysSomething).map(toModelMessage)
}

function saysSomething({ content, parts }: QuotedMessage): boolean {
  return content !== '' || parts !== undefined
}

/** Each call is followed by its result, as every provider requires. */
function withToolCalls(transcript: readonly QuotedMessage[]): ModelMessage[] {
  const messages: ModelMessage[] = []
  let waiting: readonly ToolCall[] = []
  const endWaiting = () => {
    for (const call of waiting) messages.push(resultOf(call, noResult))
    waiting = []
  }
  for (const message of transcript) {
    const call = waiting.find(({ id }) => message.role === 'tool' && id === message.toolCallId)
    if (call !== undefined) {
      messages.push(resultOf(call, message.content))
      waiting = waiting.filter((other) => other !== call)
      continue
    }
    endWaiting()
    const { content, toolCalls = [], steps } = message
    if (toolCalls.length > 0)
      messages.push(...(steps ?? [{ role: 'assistant', content, toolCalls }]))
    else if (saysSomething(message)) messages.push(toModelMessage(message))
    waiting = toolCalls
  }
  endWaiting()
  return messages
}

const noResult = 'The caller sent no result of this call.'

function resultOf({ id, name }: ToolCall, content: string): ModelMessage {
  return { role: 'tool', content, toolCallId: id, toolName: name }
}

function toModelMessage({ role, content, parts, refusedFrom }: QuotedMessage): ModelMessage {
  switch (role) {
    case 'developer':
      return { role: 'system', content }
    case 'tool':
      // No call is known for it, so it is data that the model may read.
      return { role: 'user', content: `Result of a tool that the client ran:\n${content}` }
    default:
      if (refusedFrom !== undefined && parts === undefined) return { role, content, refusedFrom }
      return { role, content: parts ?? content }
  }
}

function same(stored: TranscriptMessage, incoming: TranscriptMessage | undefined): boolean {
  return (
    incoming !== undefined &&
    stored.role === incoming.role &&
    stored.content === incoming.content &&
    stored.toolCallId === incoming.toolCallId &&
    stored.toolCalls?.length === incoming.toolCalls?.length &&
    (stored.toolCalls ?? []).every(({ id }, n) => id === incoming.toolCalls?.[n]?.id)
  )
}

/** True when the knowledge of an agent had no answer: the model reports it, or no passage was found. */
export function hadNothing(
  foundNothing: boolean | undefined,
  hasKnowledge: boolean,
  passages: readonly Passage[],
  transcript: readonly TranscriptMessage[],
): boolean {
  if (foundNothing !== undefined) return foundNothing
  return hasKnowledge && passages.length === 0 && isQuestion(lastQuestion(transcript))
}

/** A reference from an answer to a passage, as callers see it. */
export interface Citation {
  readonly source_id: string
  readonly title: string
  readonly url: string | null
  readonly page: number | null
  readonly heading: string
  readonly passage: string
  readonly score: number
  /** The number by which the answer cites it, as in `[1]`; absent in answers that an older version stored. */
  readonly number?: number
}

/**
 * The citations of an answer: the passages that the adapter names, else those that the answer cites as
 * `[n]`, else all passages, because it is unknown which of them the model used.
 */
export function citationsOf(
  passages: readonly Passage[],
  answer: string,
  cited: readonly number[] | null,
): Citation[] {
  const indexes = cited ?? citedInText(answer, passages.length)
  const used = indexes.flatMap((index, n) => {
    const passage = passages[index]
    // An adapter that names its passages numbers them itself.
    return passage === undefined ? [] : [{ passage, number: (cited === null ? index : n) + 1 }]
  })
  return used.map(({ passage, number }) => ({
    source_id: passage.sourceId,
    title: passage.title,
    url: passage.url,
    page: passage.page,
    heading: passage.heading,
    passage: passage.text,
    score: passage.score,
    number,
  }))
}

function citedInText(answer: string, count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index)
  const named = all.filter((index) => answer.includes(`[${index + 1}]`))
  return named.length > 0 ? named : all
}
