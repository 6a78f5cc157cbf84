export { ratings, type Rating } from './conversation-filter.ts'
export { deleteConversations, endHidden } from './delete-conversations.ts'
export type { DeletedRows } from './deletion-store.ts'
export {
  deleteByIds,
  deleteMessagesFrom,
  deleteSomeOthers,
  findHidden,
  hideSession,
  listHidden,
  listSomeIds,
  markQuestionTaken,
} from './deleted-session-store.ts'
export { agentsSearched, findConversations } from './find-conversations.ts'
export { exportConversations } from './export-conversations.ts'
export { getConversation, type Conversation, type ConversationMessage } from './get-conversation.ts'
export {
  indexConversations,
  reindexConversation,
  reindexConversations,
  renewTerms,
  settlingMs,
} from './index-conversations.ts'
export { isUnanswered } from './filter-store.ts'
export { listConversations } from './list-conversations.ts'
export {
  findPersonOfVisitor,
  isOfVisitor,
  joinVisitor,
  listVisitorConversations,
  settleVisitor,
} from './visitor-conversations.ts'
export { deleteJoined } from './visitor-store.ts'
export { readQuestion } from './read-question.ts'
export { pagesOf, type TimeWanted } from './pages-of.ts'
export {
  moveWatermark,
  raiseGenerations,
  readWatermark,
  type Watermark,
} from './watermark-store.ts'
