export type { Citation } from './prompt.ts'
export {
  authenticateCaller,
  findCallerAgent,
  type ChatCaller,
  type CallerAgent,
} from './authenticate-caller.ts'

export { findWorkspaceAgent } from './find-workspace-agent.ts'
export { recoverTurns } from './recover-turns.ts'
export type { RequestOptions } from './session-request.ts'
export { turnFaults } from './turn-faults.ts'

export { settleTurns, startTurn } from './start-turn.ts'
export type { Turn, TurnResult } from './turn.ts'
export { readTranscript } from './read-transcript.ts'
export { messageRoles, type MessageRole, type TranscriptMessage } from './prompt.ts'
