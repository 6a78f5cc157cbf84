export { useAgent, type Agent } from './use-agent.ts'
