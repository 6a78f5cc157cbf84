export { authenticateCaller, type ChatCaller, type CallerAgent } from './authenticate-caller.ts'
export { findCallerAgent } from './find-caller-agent.ts'
export { findWorkspaceAgent } from './find-workspace-agent.ts'
export type { Citation } from './citations.ts'
export type { Conversation, ListedConversation } from './conversation.ts'
export { ratings, type ConversationFilter, type Rating } from './conversation-filter.ts'
export { deleteConversations, type DeletedRows } from './delete-conversations.ts'
export {
  conversationFormats,
  exportConversations,
  type ConversationExport,
  type ConversationFormat,
} from './export-conversations.ts'
export { conversationFaults } from './faults.ts'
export {
  conversationWorkspace,
  getConversation,
  type ConversationMessage,
} from './get-conversation.ts'
export { indexConversations, reindexConversations, settlingMs } from './index-conversations.ts'
export { listConversations } from './list-conversations.ts'
export { pagesOf, type TimeWanted } from './pages-of.ts'
export { settleTurns } from './running-turns.ts'
export { startTurn, type Turn, type TurnInput, type TurnResult } from './start-turn.ts'
export { messageRoles, type MessageRole, type TranscriptMessage } from './transcript.ts'
export {
  moveWatermark,
  raiseGenerations,
  readWatermark,
  type Watermark,
} from './watermark-store.ts'
