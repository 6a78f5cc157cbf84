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
export { addAgent, createAgent } from './create-agent.ts'
export { deleteAgent } from './delete-agent.ts'
export { agentWorkspace, getAgent, requireAgent } from './get-agent.ts'
export { listAgents } from './list-agents.ts'
export { listAgentVersions, type AgentVersion } from './list-agent-versions.ts'
export {
  findOwned,
  listOwned,
  pageOfOwned,
  requireOwned,
  workspaceOfOwned,
} from './owned-rows-store.ts'
export { rollbackAgent } from './rollback-agent.ts'
export { updateAgent } from './update-agent.ts'
