export { deleteResponse } from './delete-response.ts'
export { findContinuation, type Continuation, type Continued } from './find-continuation.ts'
export {
  endOf,
  findResponse,
  type ResponseStatus,
  type StoredAnswer,
  type StoredResponse,
} from './find-response.ts'
export { findItem } from './find-item.ts'
export { keepResponse } from './keep-response.ts'
export { listItems, type ItemsRequest, type StoredItem } from './list-items.ts'
export { responseFaults } from './response-faults.ts'
export type { Place } from './response-store.ts'
