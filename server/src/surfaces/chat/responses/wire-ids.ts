import type { ItemName } from '#features/responses/index.ts'
import { isUuid } from '#kernel/ids.ts'

/** The ids of OpenAI's APIs: a prefix for the kind, and a UUID without hyphens. */
const prefixes = {
  response: 'resp_',
  message: 'msg_',
  conversation: 'conv_',
  file: 'file-',
  reasoning: 'rs_',
} as const

type Kind = keyof typeof prefixes

export function wireId(kind: Kind, id: string): string {
  return `${prefixes[kind]}${id.replaceAll('-', '')}`
}

/** The UUID of an id, or null if no record of this kind can have the id. */
export function readWireId(kind: Kind, given: string): string | null {
  const prefix = prefixes[kind]
  if (!given.startsWith(prefix)) return null
  const hex = given.slice(prefix.length)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toLowerCase()
  return isUuid(id) ? id : null
}

/** An id of the right form that no record has. */
export const noId = '00000000-0000-0000-0000-000000000000'

/** The UUID of an id. An id that no record can have is treated like an id of another agent. */
export function readIdOrNone(kind: Kind, given: string): string {
  return readWireId(kind, given) ?? noId
}

/** The id of an item that is the `n`th call in a stored answer. */
export function callItemId(messageId: string, n: number): string {
  return `fc_${messageId.replaceAll('-', '')}_${n}`
}

/** The id of an item that is the result of a call. */
export function outputItemId(messageId: string): string {
  return `fco_${messageId.replaceAll('-', '')}`
}

/** What the id of an item names, or null if no item can have the id. */
export function readItemId(given: string): ItemName | null {
  const [, kind = '', hex = '', call] =
    /^(msg|fco|fc)_([0-9a-f]{32})(?:_(\d{1,3}))?$/i.exec(given) ?? []
  const messageId = readWireId('message', `msg_${hex}`)
  if (messageId === null || (kind === 'fc') !== (call !== undefined)) return null
  return { messageId, call: call === undefined ? null : Number(call) }
}
