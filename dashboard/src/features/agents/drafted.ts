import type { Agent } from './use-agent.ts'

/** The agent with the settings of its draft, as its test chat answers. */
export function draftedAgent(agent: Agent): Agent {
  // The service stores only valid settings in a draft.
  const { retrieval, ...changes } = (agent.draft?.changes ?? {}) as Partial<Agent>
  return {
    ...agent,
    ...changes,
    retrieval: { ...agent.retrieval, ...retrieval },
  }
}
