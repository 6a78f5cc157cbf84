import type { Config } from '#config'
import {
  messageRoles,
  placeInRequest,
  type MessagePart,
  type MessageRole,
  type RequestOptions,
  type TranscriptMessage,
} from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { isObject } from '#kernel/json.ts'
import { joinRefusal } from '#kernel/refusal.ts'
import { chatRequestFaults, invalid } from './chat-request-faults.ts'
import { readOptions } from './read-options.ts'
import { assistantMessage, messageOf } from './message-of.ts'
import { readFilePart } from './files/read-file-part.ts'
import { readBase64, readImageUrl, readString, requireUser } from './read-values.ts'
import { isGiven, readCallId, readToolCalls } from './read-tools.ts'

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly TranscriptMessage[]
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly sessionId: string | null
  readonly store: boolean
  /** OpenAI's `user`: the caller's id for the end user. */
  readonly endUser: string | null
  readonly options?: RequestOptions
}

type Fields = Readonly<Record<string, unknown>>

/** Each message and each part takes time, even a short one. */
type RequestLimits = Pick<Config, 'maxRequestMessages' | 'maxRequestParts'>

/**
 * The chat request in the interface's order: `model`, `messages`, each message, then the rest.
 * Fields that OpenAI does not know are ignored, as its clients expect.
 *
 * @throws Fault model_missing, messages_missing, messages_too_many, parts_too_many, request_invalid
 */
export function readChatRequest(
  body: unknown,
  headerSessionId: string | undefined,
  limits: RequestLimits,
): ChatRequest {
  const fields = isObject(body) ? body : {}
  const { model, messages } = fields
  if (typeof model !== 'string' || model === '') throw new Fault(chatRequestFaults.model_missing)
  if (!Array.isArray(messages) || messages.length === 0)
    throw new Fault(chatRequestFaults.messages_missing)
  keepWithin(messages, limits)
  const request = {
    model,
    messages: messages.map(readMessage),
    stream: readFlag(fields, 'stream') ?? false,
    includeUsage: readIncludeUsage(fields.stream_options),
    sessionId: readSessionId(fields.chatSessionId, headerSessionId),
    store: readFlag(fields, 'store') ?? true,
    endUser: readUser(fields.user),
  }
  const options = isPlain(fields) ? undefined : readOptions(fields)
  return options === undefined ? request : { ...request, options }
}

/** The fields that ask for nothing but an answer. */
export const plainFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'chatSessionId',
  'store',
  'user',
])

function isPlain(fields: Fields): boolean {
  for (const name in fields) if (!plainFields.has(name)) return false
  return true
}

function readIncludeUsage(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (!isObject(value)) throw invalid('`stream_options` must be an object')
  return readFlag(value, 'include_usage', 'stream_options.include_usage') ?? false
}

/** The longest end user's id that is stored, in UTF-16 code units. */
const longestUser = 200

/** The caller's id for the end user, as the database returns it: erasure compares it. */
export function readUser(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw invalid('`user` must be a string')
  return value.slice(0, longestUser).toWellFormed().replaceAll('\u0000', '\uFFFD')
}

function keepWithin(messages: readonly unknown[], limits: RequestLimits): void {
  const { maxRequestMessages, maxRequestParts } = limits
  if (messages.length > maxRequestMessages)
    throw new Fault(chatRequestFaults.messages_too_many, { most: maxRequestMessages })
  let parts = 0
  for (const message of messages)
    if (isObject(message) && Array.isArray(message.content)) parts += message.content.length
  if (parts > maxRequestParts)
    throw new Fault(chatRequestFaults.parts_too_many, { most: maxRequestParts })
}

/** The body takes precedence over the header. null and '' count as absent: clients send them. */
export function readSessionId(field: unknown, header: string | undefined): string | null {
  const isGiven = field !== undefined && field !== null && field !== ''
  const given = isGiven ? field : (header ?? '')
  if (given === '') return null
  if (typeof given !== 'string' || !isUuid(given)) {
    const name = isGiven ? '`chatSessionId`' : '`X-Chat-Session-ID`'
    throw invalid(`${name} must be a UUID`)
  }
  return given.toLowerCase()
}

function readFlag(fields: Fields, name: string, at = name): boolean | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') throw invalid(`\`${at}\` must be a boolean`)
  return value
}

function readMessage(message: unknown, index: number): TranscriptMessage {
  const at = `messages[${index}]`
  if (!isObject(message)) throw invalid(`\`${at}\` must be an object`)
  const { role, content } = message
  if (!isRole(role)) throw invalid(`\`${at}.role\` must be one of ${messageRoles.join(', ')}`)
  const { refusal } = message
  // OpenAI's clients send null with the tool calls of an earlier answer, and with a refusal.
  const text = role === 'assistant' ? (content ?? '') : content
  if (role === 'assistant' && typeof text === 'string' && typeof refusal === 'string')
    return { role, ...joinRefusal(text, refusal), ...readCalls(role, message, at) }
  if (typeof text === 'string') return { role, content: text, ...readCalls(role, message, at) }
  if (Array.isArray(text)) return { ...readParts(role, text, at), ...readCalls(role, message, at) }
  throw invalid(`\`${at}.content\` must be a string or an array of content parts`)
}

/** The tool calls of an answer, or the call that a result belongs to. */
function readCalls(
  role: MessageRole,
  message: Fields,
  at: string,
): Pick<TranscriptMessage, 'toolCalls' | 'toolCallId'> | undefined {
  if (role === 'user' || role === 'system') return undefined
  if (role === 'tool') return { toolCallId: readCallId(message.tool_call_id, `${at}.tool_call_id`) }
  if (role !== 'assistant') return undefined
  for (const name of ['function_call', 'audio'])
    if (isGiven(message[name])) throw invalid(`\`${at}.${name}\` is not supported`)
  if (isGiven(message.tool_calls)) return readToolCalls(message.tool_calls, `${at}.tool_calls`)
  return undefined
}

function isRole(role: unknown): role is MessageRole {
  return messageRoles.some((known) => known === role)
}

function readParts(role: MessageRole, content: readonly unknown[], at: string): TranscriptMessage {
  const parts = content.map((part, index) => readPart(part, `${at}.content[${index}]`))
  requireUser(role, parts, at)
  return role === 'assistant' ? assistantMessage(content, parts) : messageOf(role, parts)
}

function readPart(part: unknown, at: string): MessagePart {
  const fields = isObject(part) ? part : {}
  switch (fields.type) {
    case 'text':
    case 'input_text':
      return { type: 'text', text: readString(fields.text, `${at}.text`) }
    case 'refusal':
      return { type: 'text', text: readString(fields.refusal, `${at}.refusal`) }
    case 'image_url': {
      const image = isObject(fields.image_url) ? fields.image_url.url : fields.image_url
      const url = readImageUrl(image, `${at}.image_url.url`)
      return { type: 'image', url, [placeInRequest]: `${at}.image_url` }
    }
    case 'file':
      return readFilePart(fields.file, `${at}.file`)
    case 'input_audio':
      return readAudio(fields.input_audio, `${at}.input_audio`)
    default:
      throw invalid(`\`${at}.type\` must be text, image_url, file or input_audio`)
  }
}

function readAudio(value: unknown, at: string): MessagePart {
  const { data, format } = isObject(value) ? value : {}
  if (format !== 'wav' && format !== 'mp3') throw invalid(`\`${at}.format\` must be wav or mp3`)
  const text = readString(data, `${at}.data`)
  return { type: 'audio', format, data: readBase64(text, `${at}.data`) }
}
