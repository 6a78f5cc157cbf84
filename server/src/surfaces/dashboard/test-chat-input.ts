import { z } from 'zod'
import type { MessagePart, TranscriptMessage } from '#features/turns/index.ts'

const imageUrl = /^data:image\/(?:png|jpeg|gif|webp);base64,/
const fileUrl = /^data:([^,;]{0,200});base64,/

/** A file that is attached to a message. The same limits apply as to files of a chat request. */
const attachment = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('image'),
    name: z.string().min(1).max(200),
    url: z.string().regex(imageUrl, 'must be a PNG, JPEG, GIF or WebP image'),
  }),
  z.strictObject({
    type: z.literal('file'),
    name: z.string().min(1).max(200),
    url: z.string().regex(fileUrl, 'must be a data URL'),
  }),
])

type Attachment = z.output<typeof attachment>

const attachments = z.array(attachment).max(1000).default([])

const earlierMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.string().min(1).max(100_000),
  attachments,
})

/** What the test chat sends with a message. */
export const testChatInput = z.object({
  app_id: z.string(),
  message: z.string().min(1).max(100_000),
  attachments,
  session_id: z.guid().toLowerCase().optional(),
  /** Begins a new conversation with these messages, to answer an earlier question again. */
  history: z.array(earlierMessage).max(1000).default([]),
  /** The settings that answer: those of a version, or of the draft. */
  version: z.union([z.int().min(1), z.literal('draft')]).default('draft'),
  /** For comparisons: answers with another model, and stores nothing. */
  model: z.string().min(1).max(200).optional(),
  store: z.boolean().default(true),
  /** Whether the events include what is sent to the model. */
  show_prompt: z.boolean().default(false),
})

/** The messages of a turn, the last one of them new. */
export function messagesOf({
  history,
  message,
  attachments: attached,
}: Pick<z.output<typeof testChatInput>, 'history' | 'message' | 'attachments'>) {
  const last = { role: 'user' as const, content: message, attachments: attached }
  return [...history, last].map((one): TranscriptMessage => {
    const { role, content } = one
    if (one.attachments.length === 0) return { role, content }
    return {
      role,
      content,
      parts: [...one.attachments.map(partOf), { type: 'text', text: content }],
    }
  })
}

/** Errors name the file instead of its place in the request. */
function partOf({ type, name, url }: Attachment): MessagePart {
  if (type === 'image') return { type, url }
  const [start = '', mediaType = ''] = fileUrl.exec(url) ?? []
  const from = { data: url.slice(start.length), mediaType: mediaType === '' ? null : mediaType }
  return { type: 'wanted_file', name, at: name, from }
}
