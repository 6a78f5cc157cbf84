import {
  createSession,
  nameEndUser,
  requireAcceptable,
  requireMessageRoom,
  type CallerAgent,
} from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { writeJsonInSlices } from '#kernel/json-slices.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { findContinuation } from './find-continuation.ts'
import { responseFaults as faults } from './response-faults.ts'
import { findResponseRow, insertResponse } from './response-store.ts'
import { runResponse } from './run-response.ts'
import { turnRequest, type RunInput } from './run-input.ts'
import { countRuns, insertRun } from './run-store.ts'

type QueueContext = Pick<Context, 'db' | 'clock' | 'config' | 'jobs' | 'models' | 'vault'>

/**
 * Stores a response that a job answers. What it continues must exist now; the job finds the end of the
 * session again, because others can continue it meanwhile.
 *
 * @param request what the response repeats of its request
 * @returns its id
 * @throws Fault background_full, limit_reached, and those of `findContinuation` and `requireAcceptable`
 */
export async function queueResponse(
  ctx: QueueContext,
  agent: CallerAgent,
  input: RunInput,
  request: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { db, clock, config, jobs } = ctx
  const { id: agentId, workspaceId } = agent
  requireMessageRoom(ctx, agent)
  const existing = await findQueuedSession(ctx, agent, input)
  const inputJson = await writeJsonInSlices(input)
  const now = clock.now()
  const id = newId(now)
  await db.write(async (tx) => {
    const limit = config.maxBackgroundResponses
    if ((await countRuns(tx, agentId)) >= limit) throw new Fault(faults.background_full, { limit })
    // From now on the request is stored, so erasing its end user must find it.
    if (existing !== null && input.endUser !== null) await nameEndUser(tx, existing, input.endUser)
    const row = {
      id,
      workspace_id: workspaceId,
      agent_id: agentId,
      session_id: existing ?? (await beginSession(ctx, tx, agent, input)),
      message_id: null,
      first_seq: 1,
      request_json: JSON.stringify(request),
      status: 'queued' as const,
      error_code: null,
      created_at: now,
    }
    await insertResponse(tx, row)
    await insertRun(tx, row, inputJson)
    await jobs.enqueue(tx, runResponse, { responseId: id }, { key: id, workspaceId })
  })
  return id
}

/** The session that a response belongs to until it is answered; null for a new one. */
async function findQueuedSession(
  ctx: QueueContext,
  agent: CallerAgent,
  input: RunInput,
): Promise<string | null> {
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const from = await findContinuation(ctx, place, input, false)
  // The caller learns now what a turn would refuse.
  await requireAcceptable(ctx, turnRequest(agent, input, from))
  if (from.sessionId !== null || input.previousResponseId === null) return from.sessionId
  // A branch gets a session of its own when it is answered.
  const previous = await findResponseRow(ctx.db.read, place, input.previousResponseId)
  return previous?.session_id ?? null
}

async function beginSession(
  ctx: QueueContext,
  tx: Tx,
  agent: CallerAgent,
  { endUser, correlationId }: RunInput,
): Promise<string> {
  const of = { agent, source: 'api', endUser, correlationId, messages: [] }
  return await createSession(ctx, tx, of)
}
