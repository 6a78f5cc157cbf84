export type { Agent, Author } from './agent.ts'
export { agentFaults } from './agent-faults.ts'
export {
  agentPatch,
  agentSettings,
  readAgentSettings,
  retrievalModes,
  settingFields,
  type AgentPatch,
  type AgentSettings,
} from './agent-settings.ts'
export { discardDraft, publishDraft, updateDraft } from './change-draft.ts'
export { asDrafted, storeDraft, type Draft, type DraftedAgent } from './draft.ts'
export { addAgent, addHiddenAgent, createAgent, showAgent } from './create-agent.ts'
export { folderName, listFolders, maxMoved, moveAgents } from './folders.ts'
export { deleteAgent, rollbackAgent, updateAgent } from './change-agent.ts'
export {
  agentOrders,
  agentsWithInvalidModel,
  agentPlace,
  getAgent,
  getDraftedAgent,
  listAgents,
  listAgentVersions,
  requireAgent,
  withDraft,
  type AgentVersion,
} from './read-agents.ts'
export {
  findOwned,
  listOwned,
  pageOfOwned,
  placeOfOwned,
  requireOwned,
} from './owned-rows-store.ts'
export { removeHiddenAgent } from './store.ts'
