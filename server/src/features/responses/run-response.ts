import { z } from 'zod'
import {
  findWorkspaceAgent,
  startTurn,
  turnFaults,
  type BegunTurn,
  type CallerAgent,
  type Turn,
} from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { defineJob, type JobResult, type JobRun } from '#kernel/job.ts'
import { parseOwnJson } from '#kernel/json-slices.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { beginAgain } from './begin-again.ts'
import { beginAnswer } from './begin-answer.ts'
import { clearDeleted } from './clear-deleted.ts'
import type { Continuation } from './find-continuation.ts'
import { findResponseRow, type FoundResponse } from './response-store.ts'
import { turnRequest, type RunInput } from './run-input.ts'
import { beginRun, deleteRun, endRun, findRun } from './run-store.ts'
import { TextRecorder } from './text-recorder.ts'

/** The most attempts of a run whose process ends, or whose provider has no capacity. */
const mostAttempts = 3

/**
 * Answers a background response. A run whose process ended is run again from the beginning, unless the
 * agent has tools: what they did must not be done twice. Then the response fails as `interrupted`. A run
 * whose response was deleted meanwhile is enqueued again, and then deletes what the turn has stored. So is
 * any deleted response in whose session a turn still answers.
 */
export const runResponse = defineJob({
  kind: 'responses.run',
  input: z.object({ responseId: z.string() }),
  // Attempts are counted here, so that the response learns that it failed.
  maxAttempts: Number.POSITIVE_INFINITY,
  async run(ctx: Context, { responseId }, run) {
    const found = await findRun(ctx.db.read, responseId)
    if (found === undefined) return await clear(ctx, responseId)
    const { workspace_id: workspaceId, agent_id: agentId, input_json: json } = found
    const row = await findResponseRow(ctx.db.read, { workspaceId, agentId }, responseId)
    if (row === undefined || (row.status !== 'queued' && row.status !== 'running'))
      return await ctx.db.write((tx) => deleteRun(tx, responseId))
    // Only this feature writes it, from this type.
    const input = (await parseOwnJson(json)) as RunInput
    const own: Attempt = { messageId: row.message_id }
    try {
      await answer(ctx, row, input, { own, run })
    } catch (error) {
      // The service stops: another process runs the job again.
      run.signal.throwIfAborted()
      if (error instanceof NotBegun && run.attempt < mostAttempts) throw error
      const cause = error instanceof NotBegun ? error.cause : error
      if (!(cause instanceof Fault)) ctx.log.error({ err: cause, responseId }, 'a response failed')
      const code = cause instanceof Fault ? cause.code : 'internal_error'
      await end(ctx, responseId, own, code)
    }
  },
})

/** How long a turn may answer in the session of a deleted response until the job looks again. */
const answeringMs = 5_000

async function clear(ctx: Context, responseId: string): Promise<JobResult> {
  const isDone = await ctx.db.write((tx) => clearDeleted(tx, ctx, responseId, true))
  if (!isDone) return { runAgainAt: ctx.clock.now() + answeringMs }
}

/** A limit was reached before anything was written: it may succeed later. */
class NotBegun extends Error {}

/**
 * An attempt to answer. A process that lost the lease of its job must not end the attempt that replaced
 * its own.
 */
interface Attempt {
  /** Its answer; until it has begun, that of the attempt before. */
  messageId: string | null
}

async function end(
  { db }: Pick<Context, 'db'>,
  id: string,
  { messageId }: Attempt,
  errorCode: string | null,
): Promise<void> {
  await db.write((tx) => endRun(tx, id, { status: 'ended', errorCode, messageId }))
}

async function answer(
  ctx: Context,
  row: FoundResponse,
  input: RunInput,
  { own, run }: { readonly own: Attempt; readonly run: JobRun },
): Promise<void> {
  const { id, workspace_id: workspaceId, agent_id: agentId } = row
  // An earlier attempt stored the answer, and its process ended before it recorded that.
  if (row.seq !== null && row.answer_error === null) return await end(ctx, id, own, null)
  const agent = await findWorkspaceAgent(ctx, workspaceId, agentId)
  const isAgain = row.status === 'running'
  if (run.attempt > mostAttempts || (isAgain && agent.hasTools))
    return await end(ctx, id, own, 'interrupted')
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  const { sessionId, messageId, ...turn } = await begin(ctx, row, { agent, input, signal })
  own.messageId = messageId
  const recorder = new TextRecorder(ctx, { id, sessionId, messageId }, () => stop.abort())
  try {
    // To stream reasoning later is to store it.
    const think = agent.settings.store_reasoning
      ? (texts: readonly string[]) => recorder.think(texts.join(''))
      : undefined
    const add = (texts: readonly string[], isRefusal?: boolean) =>
      recorder.add(texts.join(''), isRefusal)
    await turn.answer(add, { reasoning: think })
  } catch (error) {
    // An agent with tools may have called one, which must not be done twice.
    if (recorder.hasText || agent.hasTools) throw error
    throw ifLimited(error, signal)
  } finally {
    await recorder.end()
  }
  await end(ctx, id, own, null)
}

/** @returns the error, as NotBegun if a later attempt may succeed */
function ifLimited(error: unknown, signal: AbortSignal): unknown {
  const mayRetry = error instanceof Fault && error.kind === 'limited' && !signal.aborted
  return mayRetry ? new NotBegun('the turn could not begin', { cause: error }) : error
}

interface Asked {
  readonly agent: CallerAgent
  readonly input: RunInput
  readonly signal: AbortSignal
}

async function begin(
  ctx: Context,
  row: FoundResponse,
  { agent, input, signal }: Asked,
): Promise<Turn> {
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const messageId = newId(ctx.clock.now())
  const start = (from: Continuation, given = input, firstSeq?: number) => {
    const asked = turnRequest(agent, given, from)
    // The question and the status are stored together, so an attempt stores the question only once.
    const atBeginning = async (tx: Tx, begun: BegunTurn) => {
      const first = firstSeq ?? begun.firstSeq + from.history.length
      const { sessionId } = begun
      const isLive = await beginRun(tx, row.id, {
        sessionId,
        messageId,
        firstSeq: first,
        before: row.message_id,
        rest: (last) => JSON.stringify({ ...input, messages: [], lastSeq: last }),
      })
      if (!isLive) throw new Fault(turnFaults.turn_aborted)
    }
    return startTurn(ctx, { ...asked, messageId, atBeginning }, signal)
  }
  const own = { sessionId: row.session_id, history: [], endUser: row.end_user }
  const isNew = input.previousResponseId === null && input.conversationId === null
  try {
    // What an earlier attempt stored of the request is not stored again.
    const rest = { ...input, messages: [] }
    if (row.status === 'running')
      return await beginAgain(ctx, row, input, (from, first) => start(from, rest, first))
    if (isNew) return await start(own)
    return (await beginAnswer(ctx, place, input, true, (from) => start(from))).turn
  } catch (error) {
    throw ifLimited(error, signal)
  }
}
