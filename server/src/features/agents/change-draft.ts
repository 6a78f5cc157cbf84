import { providerFaults, requireKnownModels } from '#features/providers/index.ts'
import { Fault } from '#kernel/fault.ts'
import { parseModelId } from '#kernel/model-id.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { agentFaults } from './agent-faults.ts'
import { applyPatch, type AgentPatch } from './agent-settings.ts'
import { agentFromRow, type Agent, type Author } from './agent.ts'
import { requireExpectedVersion, requirePatch, saveVersion } from './change-agent.ts'
import { deleteDraft } from './draft-store.ts'
import { readDraft, storeDraft, type Draft, type DraftedAgent } from './draft.ts'
import { requireAgent } from './read-agents.ts'
import type { AgentRow } from './store.ts'

/** What the caller read before; guards against overwriting someone else's change. */
interface Expected {
  readonly expectedVersion?: number | undefined
  /** The revision of the draft, or null for no draft. */
  readonly expectedDraft?: string | null | undefined
}

/**
 * Changes settings in the agent's draft. Callers get them when it is published; the test chat at once.
 *
 * @throws Fault record_not_found, version_conflict, draft_conflict, nothing_to_change, model_unknown
 */
export function updateDraft(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  appId: string,
  patch: AgentPatch,
  expected: Expected = {},
): Promise<DraftedAgent> {
  return ctx.db.write(async (tx) => {
    const { agent, draft } = await requireExpected(tx, workspaceId, appId, expected)
    requirePatch(patch)
    const known = await requireKnownModels(tx, ctx.config, workspaceId, patch)
    const changes = merged(draft?.changes ?? {}, { ...patch, ...known })
    await storeDraft(tx, ctx, agent, changes, userId)
    return { ...agent, draft: await readDraft(tx, agent) }
  })
}

/**
 * Makes the draft the agent's next version.
 *
 * @throws Fault record_not_found, version_conflict, draft_conflict, draft_missing, model_unknown
 */
export function publishDraft(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  appId: string,
  { note, ...expected }: Expected & { readonly note?: string | undefined } = {},
): Promise<Agent> {
  return ctx.db.write(async (tx) => {
    const { row, agent, draft } = await requireExpected(tx, workspaceId, appId, expected)
    if (draft === null) throw new Fault(agentFaults.draft_missing)
    const settings = applyPatch(agent.settings, draft.changes)
    if (draft.changes.model !== undefined && parseModelId(ctx.config, settings.model) === null)
      throw new Fault(providerFaults.model_unknown, { model: settings.model })
    await deleteDraft(tx, agent.id)
    const change = { settings, authorId: userId, note: note ?? null, now: ctx.clock.now() }
    return await saveVersion(tx, ctx, row, change)
  })
}

/**
 * Deletes the agent's draft.
 *
 * @throws Fault record_not_found, version_conflict, draft_conflict, draft_missing
 */
export function discardDraft(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  expected: Expected = {},
): Promise<Agent> {
  return ctx.db.write(async (tx) => {
    const { agent, draft } = await requireExpected(tx, workspaceId, appId, expected)
    if (draft === null) throw new Fault(agentFaults.draft_missing)
    await deleteDraft(tx, agent.id)
    return agent
  })
}

interface Found {
  readonly row: AgentRow
  readonly agent: Agent
  readonly draft: Draft | null
}

async function requireExpected(
  tx: Tx,
  workspaceId: string,
  appId: string,
  expected: Expected,
): Promise<Found> {
  const row = await requireAgent(tx, workspaceId, appId)
  requireExpectedVersion(row, expected)
  const agent = agentFromRow(row)
  const draft = await readDraft(tx, agent)
  const { expectedDraft } = expected
  if (expectedDraft !== undefined && expectedDraft !== (draft?.revision ?? null))
    throw new Fault(agentFaults.draft_conflict)
  return { row, agent, draft }
}

function merged(before: AgentPatch, after: AgentPatch): AgentPatch {
  const retrieval = { ...before.retrieval, ...after.retrieval }
  return { ...before, ...after, retrieval }
}
