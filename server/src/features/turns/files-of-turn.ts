import { attachFiles, quoteFiles } from '#features/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { ContentPart } from '#platform/models/model.ts'
import { lastQuestion, type QuotedMessage, type TranscriptMessage } from './prompt.ts'
import type { SessionRequest } from './session-request.ts'

/** The request with the text of its files. @throws Fault of fileFaults; the signal's reason */
export async function readFiles(
  ctx: Pick<Context, 'config' | 'outbound' | 'workers' | 'importSlots'>,
  asked: SessionRequest,
  signal: AbortSignal,
): Promise<SessionRequest> {
  const messages = await attachFiles(ctx, asked.agent.workspaceId, asked.messages, signal)
  return { ...asked, messages }
}

/**
 * The transcript with its files as text, before the words of their message.
 *
 * @param maxLength of the text of all files, in UTF-16 code units
 */
export async function withQuotedFiles(
  transcript: readonly TranscriptMessage[],
  maxLength: number,
): Promise<readonly QuotedMessage[]> {
  const files = transcript.flatMap(({ parts = [] }) => parts.filter((part) => part.type === 'file'))
  const texts = await quoteFiles(files, lastQuestion(transcript), maxLength)
  return transcript.map(({ parts, ...message }) => {
    if (parts === undefined) return message
    const quoted = parts.map((part): ContentPart => {
      if (part.type === 'wanted_file') throw new TypeError('a file was not read')
      return part.type === 'file' ? { type: 'text', text: texts.get(part) ?? '' } : part
    })
    if (quoted.some(({ type }) => type === 'image'))
      return { ...message, content: textOf(quoted), parts: quoted }
    return { ...message, content: textOf(quoted) }
  })
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
