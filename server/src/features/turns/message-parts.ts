import type { FilePart, WantedFile } from '#features/files/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { ContentPart } from '#platform/models/model.ts'
import type { AgentModel } from './agent-model.ts'
import { turnFaults as faults } from './turn-faults.ts'

/** Where an image is in the request, for errors. A symbol, so that it is never stored or sent. */
export const placeInRequest = Symbol('place in the request')

type PlacedImage = Extract<ContentPart, { readonly type: 'image' }> & {
  readonly [placeInRequest]?: string
}

export type MessagePart = ContentPart | PlacedImage | FilePart | WantedFile

/** Whether models can read the part as it is. */
export function isContent(part: MessagePart): part is ContentPart {
  return part.type !== 'file' && part.type !== 'wanted_file'
}

/**
 * Refuses what the model cannot read.
 *
 * @param name the agent's, for the error
 * @throws Fault images_not_supported, audio_not_supported, files_not_supported
 */
export function requireAbilities(
  { access, sees, hears }: AgentModel,
  name: string,
  messages: readonly { readonly parts?: readonly MessagePart[] }[],
): void {
  for (const [message, { parts = [] }] of messages.entries())
    for (const [index, part] of parts.entries()) {
      const at = placeOf(part)
      const of = { model: name, message, part: index, ...(at === undefined ? {} : { at }) }
      const isImage = part.type === 'image' || (part.type === 'wanted_file' && part.isImage)
      if (isImage && !sees) throw new Fault(faults.images_not_supported, of)
      if (!isImage && !isContent(part) && access.baseUrl === null)
        throw new Fault(faults.files_not_supported, of)
      if (part.type === 'audio' && !hears) throw new Fault(faults.audio_not_supported, of)
    }
}

/** Whether the provider would have to fetch the part. */
export function isRemote(part: MessagePart): part is PlacedImage {
  return part.type === 'image' && /^https:/i.test(part.url)
}

/** The message with its images at addresses as files that are read. */
export function fetchingImages<Message extends { readonly parts?: readonly MessagePart[] }>(
  message: Message,
): Message {
  if (message.parts?.some(isRemote) !== true) return message
  return { ...message, parts: message.parts.map(toFetch) }
}

function toFetch(part: MessagePart): MessagePart {
  if (!isRemote(part)) return part
  const at = placeOf(part) ?? 'image_url'
  return { type: 'wanted_file', name: null, isImage: true, at, from: { url: part.url } }
}

function placeOf(part: MessagePart): string | undefined {
  if (part.type === 'wanted_file') return part.at
  return part.type === 'image' && placeInRequest in part ? part[placeInRequest] : undefined
}

/** Which parts of messages a model reads. */
export type ReadsParts = Pick<AgentModel, 'sees' | 'fetches' | 'hears'>

/** The message as a model reads it that does not accept all of its parts. */
export function withoutUnread<Message extends { readonly parts?: readonly ContentPart[] }>(
  { parts: all = [], ...words }: Message,
  { sees, fetches, hears }: ReadsParts,
): Omit<Message, 'parts'> & Pick<Message, 'parts'> {
  const parts = all.filter((part) => {
    if (part.type === 'image') return sees && (fetches || !isRemote(part))
    return part.type !== 'audio' || hears
  })
  return parts.some(({ type }) => type !== 'text') ? { ...words, parts } : words
}
