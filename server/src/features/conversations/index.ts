export { authenticateCaller, type ChatCaller, type CallerAgent } from './authenticate-caller.ts'
export { findCallerAgent } from './find-caller-agent.ts'
export { findWorkspaceAgent } from './find-workspace-agent.ts'
export type { Citation } from './citations.ts'
export type { Conversation } from './conversation.ts'
export { conversationFaults } from './faults.ts'
export {
  conversationWorkspace,
  getConversation,
  type ConversationMessage,
} from './get-conversation.ts'
export { listConversations } from './list-conversations.ts'
export { settleTurns } from './running-turns.ts'
export { startTurn, type Turn, type TurnInput, type TurnResult } from './start-turn.ts'
export { messageRoles, type MessageRole, type TranscriptMessage } from './transcript.ts'
