export { beginAnswer } from './begin-answer.ts'
export { cancelResponse } from './cancel-response.ts'
export { compact, openCompaction, type Compacted } from './compaction.ts'
export {
  addItems,
  createConversation,
  deleteConversation,
  deleteItem,
  findConversation,
  findConversationItem,
  updateConversation,
  type Conversation,
} from './conversations.ts'
export { deleteResponse } from './delete-response.ts'
export {
  findContinuation,
  findEndUser,
  type Continuation,
  type Continued,
} from './find-continuation.ts'
export {
  endOf,
  findResponse,
  type ResponseStatus,
  type StoredAnswer,
  type StoredResponse,
} from './find-response.ts'
export { findItem, findSessionItems, type SessionItems } from './find-item.ts'
export { findProgress } from './find-progress.ts'
export { inputRange } from './input-range.ts'
export { keepResponse, keepWithin } from './keep-response.ts'
export { listItems, type ItemsRequest } from './list-items.ts'
export { streamedPieces, type StreamedPiece } from './list-pieces.ts'
export { queueResponse } from './queue-response.ts'
export { runResponse } from './run-response.ts'
export type { RunInput } from './run-input.ts'
export type { ItemName, StoredItem, StoredText } from './stored-item.ts'
export { responseFaults } from './response-faults.ts'
export type { Place } from './response-store.ts'
