import { attachFiles, quoteFiles } from '#features/files/index.ts'
import { holdForUse } from '#features/credits/index.ts'
import { Fault } from '#kernel/fault.ts'
import { parseModelId } from '#kernel/model-id.ts'
import type { Context } from '#platform/context.ts'
import type { ContentPart } from '#platform/models/model.ts'
import { findEndUser } from './claim-store.ts'
import { countTurn, requireMessageRoom, type CallerAgent } from './authenticate-caller.ts'
import { fetchingImages, isRemote } from './message-parts.ts'
import { findModel } from './find-model.ts'
import { lastQuestion, wantsFiles, type QuotedMessage, type TranscriptMessage } from './prompt.ts'
import type { SessionRequest } from './session-request.ts'

/** The request with the text of its files. @throws Fault of fileFaults; the signal's reason; what `reviewFiles` throws */
export async function readFiles(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'outbound' | 'workers' | 'importSlots'>,
  asked: SessionRequest,
  signal: AbortSignal,
): Promise<SessionRequest> {
  const { workspaceId, id: agentId } = asked.agent
  const { sessionId } = asked
  const known = sessionId === null ? null : await findEndUser(ctx.db.read, agentId, sessionId)
  const { store } = asked
  const use = { workspaceId, agentId, endUser: known ?? asked.endUser, store }
  const messages = await attachFiles(ctx, use, asked.messages, signal)
  await asked.reviewFiles?.(textOfFiles(messages))
  return { ...asked, messages }
}

function textOfFiles(messages: readonly TranscriptMessage[]): string {
  const files = messages.flatMap(({ parts = [] }) => parts.filter((part) => part.type === 'file'))
  const chunks = files.flatMap((file) => file.chunks)
  return chunks.map(({ heading, text }) => `${heading}\n${text}`).join('\n')
}

/**
 * The request of a model whose provider fetches no images: those of the request are read like files. What a
 * branch inherits is not fetched again.
 */
export function withImagesToFetch(request: SessionRequest): SessionRequest {
  const inherited = request.branch?.seqs.length ?? 0
  const messages = request.messages.map((message, n) =>
    n < inherited ? message : fetchingImages(message),
  )
  return { ...request, messages }
}

interface Reader {
  readonly agent: CallerAgent
  readonly keyId: string
  /** For whom the files are read; null if nobody is named. */
  readonly endUser: string | null
  /** Whether the messages are stored. */
  readonly store: boolean
}

type LoneReadContext = Pick<
  Context,
  | 'db'
  | 'clock'
  | 'log'
  | 'limits'
  | 'config'
  | 'vault'
  | 'models'
  | 'outbound'
  | 'workers'
  | 'importSlots'
>

/** The messages with the images as files that the provider of the agent's model does not fetch. */
async function asAgentReads(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  agent: CallerAgent,
  messages: readonly TranscriptMessage[],
): Promise<readonly TranscriptMessage[]> {
  if (!messages.some(({ parts }) => parts?.some(isRemote))) return messages
  const model = await findModel(ctx, agent, agent.settings.model)
  // What the model cannot see at all is refused with the turn that answers it.
  if (model instanceof Fault || model.fetches || !model.sees) return messages
  return messages.map(fetchingImages)
}

/**
 * Reads the files of messages that no turn reads. What would refuse a turn refuses this, and it counts
 * as one.
 *
 * @returns the messages with the text of their files
 * @throws Fault agent_rate_limited, limit_reached, credits_used_up, credit_cap_reached, those of fileFaults;
 *   the signal's reason
 */
export async function readFilesAlone(
  ctx: LoneReadContext,
  { agent, keyId, endUser, store }: Reader,
  asked: readonly TranscriptMessage[],
  signal: AbortSignal,
): Promise<readonly TranscriptMessage[]> {
  const messages = await asAgentReads(ctx, agent, asked)
  if (!wantsFiles(messages)) return messages
  await countTurn(ctx, agent)
  if (store) requireMessageRoom(ctx, agent)
  const { id: agentId, workspaceId } = agent
  const consumer = { workspaceId, agentId, keyId, endUser }
  const model = parseModelId(ctx.config, agent.settings.model)?.id ?? agent.settings.model
  // The call of the model reserves what it costs.
  const release = await holdForUse(ctx, { consumer, model }, 1)
  try {
    return await attachFiles(ctx, { workspaceId, agentId, endUser, store }, messages, signal)
  } finally {
    await release()
  }
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
    if (quoted.some(({ type }) => type !== 'text'))
      return { ...message, content: textOf(quoted), parts: quoted }
    return { ...message, content: textOf(quoted) }
  })
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
