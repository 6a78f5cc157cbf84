import { isDeepStrictEqual } from 'node:util'
import { newId } from '#kernel/ids.ts'
import { parsingOnce } from '#kernel/parsing-once.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { agentPatch, applyPatch, type AgentPatch, type AgentSettings } from './agent-settings.ts'
import type { Agent } from './agent.ts'
import { deleteDraft, findDraft, putDraft } from './draft-store.ts'

/** Settings of an agent that were changed but not published; at most one draft per agent. */
export interface Draft {
  /** Another one after every change of the draft. */
  readonly revision: string
  /** Only what differs from the version that answers. */
  readonly changes: AgentPatch
  /** Who changed it last. */
  readonly author: { readonly id: string; readonly name: string; readonly email: string }
  readonly updatedAt: number
}

/** An agent with what is not published; null if its draft changes nothing. */
export interface DraftedAgent extends Agent {
  readonly draft: Draft | null
}

const readChanges = parsingOnce<AgentPatch>(agentPatch)

/** A step: the draft of an agent that was found in the caller's workspace. */
export async function readDraft(reader: Reader, agent: Agent): Promise<Draft | null> {
  const row = await findDraft(reader, agent.id)
  if (row === undefined) return null
  const changes = differing(agent.settings, readChanges(row.changes_json))
  if (Object.keys(changes).length === 0) return null
  const author = { id: row.author_id, name: row.author_name, email: row.author_email }
  return { revision: row.revision, changes, author, updatedAt: row.updated_at }
}

/** A step: stores what differs from the agent's settings as its draft; no draft if nothing does. */
export async function storeDraft(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
  { id: agentId, settings }: Agent,
  patch: AgentPatch,
  authorId: string,
): Promise<void> {
  const changes = differing(settings, patch)
  if (Object.keys(changes).length === 0) return await deleteDraft(tx, agentId)
  const now = clock.now()
  await putDraft(tx, {
    agent_id: agentId,
    revision: newId(now),
    changes_json: JSON.stringify(changes),
    author_id: authorId,
    updated_at: now,
  })
}

/** The agent with the settings of its draft, as its test chat answers. */
export function asDrafted({ draft, ...agent }: DraftedAgent): Agent {
  if (draft === null) return agent
  return { ...agent, settings: applyPatch(agent.settings, draft.changes) }
}

/** The part of a patch that changes the settings; `retrieval` is compared field by field. */
function differing(settings: AgentSettings, patch: AgentPatch): AgentPatch {
  const { retrieval, ...plain } = patch
  const changed = changedFields(settings, plain)
  const searched = changedFields(settings.retrieval, retrieval ?? {})
  return Object.keys(searched).length === 0 ? changed : { ...changed, retrieval: searched }
}

function changedFields<Part extends object>(settings: object, part: Part): Part {
  const now = new Map<string, unknown>(Object.entries(settings))
  const entries = Object.entries(part).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, now.get(field)),
  )
  return Object.fromEntries(entries) as Part // Every field of a patch is optional.
}
