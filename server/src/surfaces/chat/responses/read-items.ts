import type { Config } from '#config'
import type { ItemName } from '#features/responses/index.ts'
import type { MessagePart, TranscriptMessage } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { assistantMessage, messageOf } from '#surfaces/chat/message-of.ts'
import { readFilePart, readImagePart } from '#surfaces/chat/files/read-file-part.ts'
import { readString, requireUser } from '#surfaces/chat/read-values.ts'
import { readCallId, readMadeCall } from '#surfaces/chat/read-tools.ts'
import { readItemId } from './wire-ids.ts'

/** A message, the id of a stored item, or a summary of compacted messages. */
export type InputItem =
  | TranscriptMessage
  | { readonly reference: ItemName; readonly at: string }
  | { readonly compaction: string; readonly at: string }

const roles = ['user', 'assistant', 'system', 'developer'] as const

/**
 * The input of a response: a text, or items.
 *
 * @throws Fault request_invalid
 */
export function readItems(
  input: unknown,
  at: string,
  limits: Pick<Config, 'maxRequestMessages' | 'maxRequestParts'>,
): readonly InputItem[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw invalid(`\`${at}\` is required and must be a string or a non-empty array of items`)
  if (input.length > limits.maxRequestMessages)
    throw invalid(`\`${at}\` must hold at most ${limits.maxRequestMessages} items`)
  let parts = 0
  for (const item of input)
    for (const list of isObject(item) ? [item.content, item.output] : [])
      if (Array.isArray(list)) parts += list.length
  if (parts > limits.maxRequestParts)
    throw invalid(`\`${at}\` must hold at most ${limits.maxRequestParts} content parts`)
  const items = input.flatMap((item: unknown, index) => readItem(item, `${at}[${index}]`) ?? [])
  if (items.length === 0) throw invalid(`\`${at}\` must hold more than reasoning`)
  return items
}

/** @returns null for reasoning, which clients send back and no model reads again */
function readItem(item: unknown, at: string): InputItem | null {
  if (!isObject(item)) throw invalid(`\`${at}\` must be an object`)
  // OpenAI's short forms have no type.
  const type = item.type ?? (item.role === undefined ? 'item_reference' : 'message')
  switch (type) {
    case 'message':
      return readMessage(item, at)
    case 'reasoning':
      return null
    case 'item_reference':
      if (typeof item.id === 'string' && item.id.startsWith('rs_')) return null
      return { reference: readReference(item.id, `${at}.id`), at: `${at}.id` }
    case 'function_call': {
      const call = { id: readCallId(item.call_id, `${at}.call_id`), ...readMadeCall(item, at) }
      return { role: 'assistant', content: '', toolCalls: [call] }
    }
    case 'function_call_output':
      return readOutput(item, at)
    case 'compaction': {
      const compaction = readString(item.encrypted_content, `${at}.encrypted_content`)
      return { compaction, at: `${at}.encrypted_content` }
    }
    default:
      throw invalid(
        `\`${at}.type\` must be message, item_reference, function_call, function_call_output, compaction or reasoning`,
      )
  }
}

function readReference(value: unknown, at: string): ItemName {
  const id = typeof value === 'string' ? readItemId(value) : null
  if (id === null) throw invalid(`\`${at}\` must be the id of an item of a response`)
  return id
}

/** The result of a call: a text, or parts of text. */
function readOutput(
  { call_id: id, output }: Readonly<Record<string, unknown>>,
  at: string,
): TranscriptMessage {
  const toolCallId = readCallId(id, `${at}.call_id`)
  if (typeof output === 'string') return { role: 'tool', content: output, toolCallId }
  if (!Array.isArray(output))
    throw invalid(`\`${at}.output\` must be a string or an array of content parts`)
  const parts = output.map((part: unknown, index) => readPart(part, `${at}.output[${index}]`))
  const image = parts.findIndex(({ type }) => type !== 'text')
  if (image !== -1) throw invalid(`\`${at}.output[${image}].type\` must be input_text`)
  return { ...messageOf('tool', parts), toolCallId }
}

function readMessage(
  { role: given, content, phase }: Readonly<Record<string, unknown>>,
  at: string,
): TranscriptMessage {
  const role = roles.find((known) => known === given)
  if (role === undefined) throw invalid(`\`${at}.role\` must be one of ${roles.join(', ')}`)
  if (phase !== undefined && phase !== null && phase !== 'commentary' && phase !== 'final_answer')
    throw invalid(`\`${at}.phase\` must be commentary or final_answer`)
  if (typeof content === 'string') return { role, content }
  if (!Array.isArray(content))
    throw invalid(`\`${at}.content\` must be a string or an array of content parts`)
  const parts = content.map((part: unknown, index) => readPart(part, `${at}.content[${index}]`))
  requireUser(role, parts, at)
  return role === 'assistant' ? assistantMessage(content, parts) : messageOf(role, parts)
}

export function readPart(part: unknown, at: string): MessagePart {
  const fields = isObject(part) ? part : {}
  switch (fields.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: readString(fields.text, `${at}.text`) }
    case 'refusal':
      return { type: 'text', text: readString(fields.refusal, `${at}.refusal`) }
    case 'input_image':
      return readImagePart(fields, at)
    case 'input_file':
      return readFilePart(fields, at)
    default:
      throw invalid(
        `\`${at}.type\` must be input_text, output_text, refusal, input_image or input_file`,
      )
  }
}
