import {
  startTurn,
  type CallerAgent,
  type SessionRequest,
  type TranscriptMessage,
  type TurnContext,
} from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { ModelUsage } from '#platform/models/model.ts'
import { findContinuation } from './find-continuation.ts'
import { responseFaults as faults } from './response-faults.ts'
import type { Place } from './response-store.ts'

/** A conversation in short: the messages of its users, and a summary that only this agent can read. */
export interface Compacted {
  readonly users: readonly TranscriptMessage[]
  /** Sealed, so that a caller can neither write one nor move it to another agent. */
  readonly sealed: string
  readonly usage: ModelUsage
}

interface Asked extends Pick<SessionRequest, 'keyId' | 'correlationId' | 'instructions'> {
  readonly agent: CallerAgent
  readonly previousResponseId: string | null
  readonly messages: readonly TranscriptMessage[]
}

/**
 * Asks the agent's model for a summary. Nothing is stored but the entry in the ledger.
 *
 * @throws Fault response_unknown, response_unanswered, nothing_to_compact,
 *   compaction_not_supported, summary_cut_off, and those of a turn
 */
export async function compact(
  ctx: TurnContext,
  { agent, previousResponseId, messages, instructions, ...of }: Asked,
  signal: AbortSignal,
): Promise<Compacted> {
  if (isBuiltIn(agent.settings.model)) throw new Fault(faults.compaction_not_supported)
  const place = { workspaceId: agent.workspaceId, agentId: agent.id }
  const continued = { previousResponseId, conversationId: null }
  const { history, branch, endUser } = await findContinuation(ctx, place, continued, true)
  const all = [...history, ...messages]
  if (all.length === 0) throw new Fault(faults.nothing_to_compact)
  const turn = await startTurn(
    ctx,
    {
      ...of,
      agent: summarizer(agent),
      source: 'api',
      sessionId: null,
      messages: [...all, { role: 'user', content: request }],
      branch,
      instructions: instructions ?? null,
      stream: false,
      store: false,
      endUser,
    },
    signal,
  )
  const { text, usage, finishReason } = await turn.answer()
  if (finishReason === 'length') throw new Fault(faults.summary_cut_off)
  const summary = { agentId: agent.id, summary: text }
  const users = all.filter(({ role }) => role === 'user')
  return { users, sealed: ctx.vault.seal(JSON.stringify(summary)), usage }
}

/** The built-in model finds sentences, and writes none. */
function isBuiltIn(model: string): boolean {
  return model.startsWith('local/')
}

/** The agent without the settings that would make its answer anything but a summary. */
function summarizer(agent: CallerAgent): CallerAgent {
  const { settings: its } = agent
  const fallbacks = its.fallback_models.filter((model) => !isBuiltIn(model))
  const settings = { ...its, system_prompt: '', fallback_models: fallbacks }
  return { ...agent, settings, hasKnowledge: false, hasTools: false }
}

const request =
  'Summarize this conversation for the assistant that will continue it: facts, decisions, names, ' +
  'numbers, results of tools, and what is still open. Write nothing but the summary.'

/** The summary as a message; null if it was not written for this agent. */
export function openCompaction(
  { vault }: Pick<Context, 'vault'>,
  { agentId }: Place,
  sealed: string,
): TranscriptMessage | null {
  const opened = read(vault, sealed)
  if (!isObject(opened) || opened.agentId !== agentId || typeof opened.summary !== 'string')
    return null
  return { role: 'assistant', content: `Summary of the conversation so far:\n${opened.summary}` }
}

function read(vault: Context['vault'], sealed: string): unknown {
  try {
    return JSON.parse(vault.open(sealed)) as unknown
  } catch {
    // It was changed, or sealed with another key: the caller learns that it is not of this agent.
    return null
  }
}
