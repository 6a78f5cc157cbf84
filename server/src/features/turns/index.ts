export type { Citation } from './prompt.ts'
export {
  authenticateCaller,
  findCallerAgent,
  requireMessageRoom,
  type ChatCaller,
  type CallerAgent,
} from './authenticate-caller.ts'

export { appendMessages, createSession } from './append-messages.ts'
export { nameEndUser } from './claim-store.ts'
export { requireAcceptable } from './require-acceptable.ts'

export { blankMessages, deletedMessage } from './append-store.ts'
export { readFilesAlone } from './files-of-turn.ts'
export { acceptedParts, type AcceptedParts } from './accepted-parts.ts'
export { findAgentOfPage, findWorkspaceAgent } from './find-workspace-agent.ts'
export { recoverTurns } from './recover-turns.ts'
export { maxStoredReasoning } from './keep-reasoning.ts'
export type { BegunTurn, Branch, RequestOptions, SessionRequest } from './session-request.ts'
export type { WantedFile } from '#features/files/index.ts'
export { turnFaults } from './turn-faults.ts'

export { summarizeSession } from './summarize-session.ts'
export { settleTurns, startTurn } from './start-turn.ts'
export type { Turn, TurnContext, TurnResult } from './turn.ts'
export { placeInRequest, type MessagePart } from './message-parts.ts'
export { readTranscript } from './read-transcript.ts'
export { messageRoles, type MessageRole, type TranscriptMessage } from './prompt.ts'
