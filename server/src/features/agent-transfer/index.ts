export { addAgentBundle, type AddedAgent, type Need } from './add-agent-bundle.ts'
export { hasTools, readAgentBundle, withoutItsSecrets, type AgentBundle } from './agent-bundle.ts'
export {
  agentDocument,
  documentFormat,
  documentVersion,
  type AgentDocument,
} from './agent-document.ts'
export { readAgentDocument } from './read-agent-document.ts'
export { transferFaults } from './transfer-faults.ts'
export { writeAgentDocument } from './write-agent-document.ts'
