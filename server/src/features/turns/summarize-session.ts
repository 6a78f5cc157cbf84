import { z } from 'zod'
import type { AgentSettings } from '#features/agents/index.ts'
import { bookSummary } from '#features/credits/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { defineJob, type JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { deletedMessage } from './append-store.ts'
import type { AgentModel } from './agent-model.ts'
import type { CallerAgent } from './authenticate-caller.ts'
import { historyBytes } from './claim-store.ts'
import { sizesBesideLargest } from './history-size.ts'
import { FallbackModels } from './fallback-models.ts'
import { findWorkspaceAgent } from './find-workspace-agent.ts'
import { modelOf } from './find-model.ts'
import { MeteredModel } from './metered-model.ts'
import type { SessionRequest } from './session-request.ts'
import { maxSummaryLength, summaryRequest } from './summary-prompt.ts'
import {
  countDeleted,
  findSummary,
  findSummedSession,
  listNewestSizes,
  listSummed,
  putSummary,
  type SummaryRow,
  type SummedMessage,
} from './summary-store.ts'

/** The most messages that one summary adds. */
const messagesAtOnce = 500

/** A model that thinks before it writes needs more than the notes. */
const maxOutputTokens = 4_000

/**
 * Sums up the older part of a session: the summary so far and the messages that follow it. One run makes
 * one call of a model with bounded input; if more is left, the job runs again.
 */
export const summarizeSession = defineJob({
  kind: 'turns.summarize',
  // The key of the turn that asks for it, whose cap it counts towards.
  input: z.object({ sessionId: z.string(), keyId: z.string().optional() }),
  // A turn that finds the summary missing enqueues it again.
  maxAttempts: 3,
  async run(ctx: Context, { sessionId, keyId }, run) {
    const session = await findSummedSession(ctx.db.read, sessionId)
    if (session === undefined) return undefined
    const agent = await findSummarizer(ctx, session)
    if (agent === null) return undefined
    const part = await nextPart(ctx, session)
    if (part === null) return undefined
    const isLast = await summarize(ctx, { agent, session, part, keyId }, run)
    return isLast ? undefined : { runAgainAt: ctx.clock.now() }
  },
})

type Session = NonNullable<Awaited<ReturnType<typeof findSummedSession>>>

interface Part {
  readonly before: SummaryRow | undefined
  readonly after: number
  readonly messages: readonly SummedMessage[]
  /** The last message that the model no longer needs to read. */
  readonly target: number
}

/** @returns the id of the model that writes summaries; null if the agent has none */
export function memoryModelOf({ memory, memory_model, model }: AgentSettings): string | null {
  const id = memory_model ?? model
  // The model without a key finds sentences, and writes none.
  return memory === 'none' || isBuiltIn(id) ? null : id
}

function isBuiltIn(model: string): boolean {
  return model.startsWith('local/')
}

/** The agent as it writes summaries; null if it does not, or was deleted. */
async function findSummarizer(
  ctx: Pick<Context, 'db'>,
  { workspace_id: workspaceId, agent_id: agentId }: Session,
): Promise<CallerAgent | null> {
  const agent = await findWorkspaceAgent(ctx, workspaceId, agentId).catch((error: unknown) => {
    const isGone = error instanceof Fault && error.code === commonFaults.record_not_found.code
    if (!isGone) throw error
    return null
  })
  const model = agent === null ? null : memoryModelOf(agent.settings)
  if (agent === null || model === null) return null
  const settings = {
    ...agent.settings,
    model,
    fallback_models: agent.settings.fallback_models.filter((one) => !isBuiltIn(one)),
    system_prompt: '',
    temperature: null,
    max_output_tokens: maxOutputTokens,
  }
  return { ...agent, settings, hasKnowledge: false, hasTools: false }
}

/** The next messages to sum up; null if a turn still reads all that the summary does not cover. */
async function nextPart(ctx: Context, session: Session): Promise<Part | null> {
  const { id } = session
  const before = await findSummary(ctx.db.read, id)
  const covered = before?.covers_seq ?? 0
  const target = await findTarget(ctx, session, covered)
  const first = before === undefined ? target - ctx.config.summaryMaxMessages : covered
  const after = Math.max(covered, first)
  if (target <= after) return null
  const rows = await listSummed(ctx.db.scan, id, { after, last: target }, messagesAtOnce)
  let bytes = 0
  const messages = rows.filter(
    ({ content }, n) =>
      (bytes += Buffer.byteLength(content)) <= ctx.config.summaryInputBytes || n === 0,
  )
  return messages.length === 0 ? null : { before, after, messages, target }
}

/**
 * The last message to sum up. If a turn reads more than it may, half of what it may read stays, so that a
 * summary is needed only once for many turns. What stays begins with a question.
 */
async function findTarget(
  { db, config }: Pick<Context, 'db' | 'config'>,
  { id, message_count: count }: Session,
  covered: number,
): Promise<number> {
  const [mostMessages, mostBytes] = [config.maxHistoryMessages, historyBytes(config)]
  const newest = await listNewestSizes(db.read, id, { after: covered, limit: mostMessages })
  const sizes = sizesBesideLargest(newest.map(({ bytes }) => Number(bytes)))
  const summed = newest.map((row, n) => ({ ...row, bytes: sizes[n] ?? 0 }))
  if (count - covered <= mostMessages && (sizes.at(-1) ?? 0) <= mostBytes) return covered
  const kept = summed.filter((row, n) => n < mostMessages / 2 && row.bytes <= mostBytes / 2)
  const first = kept.findLast(({ role }) => role === 'user') ?? kept.at(-1)
  return (first?.seq ?? count) - 1
}

interface Summing {
  readonly keyId: string | undefined
  readonly agent: CallerAgent
  readonly session: Session
  readonly part: Part
}

/** @returns whether nothing is left to sum up, as far as it is possible now */
async function summarize(ctx: Context, of: Summing, { signal }: JobRun): Promise<boolean> {
  const { session, part } = of
  let model: MeteredModel | null = null
  try {
    const request = requestOf(of)
    const first = await modelOf(ctx, request)
    model = await openModel(ctx, request, first)
    const { text } = await model.call(
      {
        model: first.model,
        access: first.access,
        messages: summaryRequest(part.before?.content ?? null, part.messages),
        passages: [],
        temperature: null,
        maxOutputTokens,
        signal,
      },
      () => undefined,
    )
    if (text.trim() === '') {
      // The same request would cost as much again.
      ctx.log.warn({ sessionId: session.id }, 'the model wrote no summary of a session')
      return true
    }
    const isStored = await store(ctx, of, model, text.trim())
    return isStored && part.messages.at(-1)?.seq === part.target
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    // Without credits there is no summary; a later turn asks for it again.
    ctx.log.info({ sessionId: session.id, code: error.code }, 'a session was not summed up')
    return true
  } finally {
    if (model !== null) await bookSummary(ctx, model.credits, model.usage, session.id)
    model?.credits.end()
  }
}

function requestOf({ agent, session, keyId }: Summing): SessionRequest {
  return {
    agent,
    source: 'memory',
    sessionId: session.id,
    messages: [],
    stream: false,
    store: false,
    endUser: session.end_user,
    ...(keyId === undefined ? {} : { keyId }),
    correlationId: null,
  }
}

async function openModel(ctx: Context, request: SessionRequest, first: AgentModel) {
  const isAlone = request.agent.settings.fallback_models.length === 0
  const startedAt = ctx.clock.now()
  return await MeteredModel.open({ ...ctx, modelSlots: noWaiting }, request, {
    messageId: newId(startedAt),
    startedAt,
    modelId: first.id,
    fallbacks: isAlone ? null : new FallbackModels(ctx, request, first, false),
  })
}

/** A summary takes no slot from turns: `SUMMARIES_AT_ONCE` limits them. */
const noWaiting: Context['modelSlots'] = { acquire: async () => () => undefined }

/** @returns false if the messages or the summary changed while the model wrote: then nothing is stored */
async function store(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { session, part }: Summing,
  { credits, usage }: MeteredModel,
  text: string,
): Promise<boolean> {
  const { id } = session
  const { before, after, messages } = part
  const last = messages.at(-1)
  if (last === undefined) return false
  const cost = 0 - credits.chargeFor(usage).amount_micros
  const row = {
    session_id: id,
    workspace_id: session.workspace_id,
    agent_id: session.agent_id,
    covers_seq: last.seq,
    covers_id: last.id,
    content: text.slice(0, maxSummaryLength).toWellFormed().replaceAll('\u0000', '\uFFFD'),
    model: credits.model,
    prompt_tokens: Number(before?.prompt_tokens ?? 0) + usage.promptTokens,
    completion_tokens: Number(before?.completion_tokens ?? 0) + usage.completionTokens,
    cost_micros: Number(before?.cost_micros ?? 0) + cost,
    created_at: clock.now(),
  }
  const deleted = messages.filter(({ finish_reason: end }) => end === deletedMessage).length
  return await db.write(async (tx) => {
    if ((await findSummedSession(tx, id)) === undefined) return false
    const now = await findSummary(tx, id)
    if (now?.covers_id !== before?.covers_id || now?.created_at !== before?.created_at) return false
    const read = { after, last: last.seq }
    if ((await countDeleted(tx, id, read, deletedMessage)) !== deleted) return false
    await putSummary(tx, row)
    return true
  })
}
