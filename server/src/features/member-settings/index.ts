export { hideFirstSteps, readFirstSteps } from './first-steps.ts'
export { listPinnedAgents, pinAgent } from './pinned-agents.ts'
