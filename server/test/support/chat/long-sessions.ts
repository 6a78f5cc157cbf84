import { updateAgent, type AgentPatch } from '#features/agents/index.ts'
import { summarizeSession } from '#features/turns/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { answerOf, type ChatService, type OpenChat } from './chat-service.ts'
import type { RecordedRequest } from '#test/support/servers/model-server.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

/** Agents that sum up their long sessions, and their models. */

interface Message {
  readonly role: string
  readonly content: string
}

export const messagesOf = ({ body }: RecordedRequest) => body.messages as readonly Message[] // OpenAI's format.
const isSummary = (request: RecordedRequest) =>
  messagesOf(request)[0]?.content.startsWith('You keep notes') === true
export const summaries = ({ model }: Pick<ChatService, 'model'>) => model.requests.filter(isSummary)
export const lastTurn = ({ model }: Pick<ChatService, 'model'>) =>
  messagesOf(model.requests.findLast((request) => !isSummary(request))!)

export const remembering: AgentPatch = { memory: 'summary', memory_model: 'openai/cheap' }
export const noted: ModelScript = {
  reply: 'Ada likes tea.',
  usage: { prompt: 100, completion: 10 },
}

/** An agent that reads 20 messages of a session; its model answers a turn with `ok`. */
export async function openWith(
  open: OpenChat,
  settings: AgentPatch = remembering,
  script: (request: RecordedRequest) => ModelScript = () => noted,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChatService> {
  const chat = await open({
    model: { script: (request) => (isSummary(request) ? script(request) : { reply: 'ok' }) },
    environment: { MAX_HISTORY_MESSAGES: '20', ...environment },
  })
  await updateAgent(chat.ctx, chat.owner, chat.agent.id, settings)
  return chat
}

export const runnerOf = ({ ctx }: Pick<ChatService, 'ctx'>, atOnce = 4) =>
  // As compose.ts creates it.
  createJobRunner(ctx, ctx.jobs as JobQueue, [{ ...summarizeSession, maxAtOnce: atOnce }])

export const stored = ({ ctx }: Pick<ChatService, 'ctx'>) =>
  ctx.db.read.selectFrom('session_summaries').selectAll().execute()

interface Talk {
  readonly id?: string | undefined
  /** The number in its first message. */
  readonly from?: number
  readonly [field: string]: unknown
}

/** @returns the session */
export async function talk(
  chat: Pick<ChatService, 'say'>,
  turns: number,
  { id, from = 0, ...more }: Talk = {},
) {
  let chatSessionId = id
  for (let n = from; n < from + turns; n += 1)
    ({ chatSessionId } = await answerOf(chat.say(`word${n}`, { chatSessionId, ...more })))
  return chatSessionId!
}

/** A price of as many credits per token. */
export const price = (credits: number) => ({
  promptMicrosPerMillion: credits * 1e6,
  completionMicrosPerMillion: credits * 1e6,
  callMicros: 0,
})
/** The summary as a turn sends it. */
export const notes = (text: string) => JSON.stringify({ notes: text })
export const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`)
