export { draftedAgent } from './drafted.ts'
export { useAgent, type Agent } from './use-agent.ts'
