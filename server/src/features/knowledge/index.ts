export { clearDocument, clearSource } from './clear-source.ts'
export { deleteSource } from './delete-source.ts'
export {
  forgetVersions,
  insertDocument,
  listDocumentRows,
  sumDocuments,
  updateDocument,
  type DocumentRow,
} from './document-store.ts'
export { endEmbedding, failEmbedding, reportEmbedding } from './embedding-progress-store.ts'
export {
  crawlTicket,
  enqueueIngestion,
  ingestTicket,
  isCrawl,
  withdrawIngestion,
} from './ingest-ticket.ts'
export { findPassage } from './find-passage.ts'
export { listChunks } from './list-chunks.ts'
export { listDocuments } from './list-documents.ts'
export { getSource, listSources } from './read-sources.ts'
export {
  crawlOf,
  maxFailedPages,
  plainFacts,
  refreshIntervals,
  sourceFromRow,
  sourceKinds,
  sourceStatuses,
  type Crawl,
  type FailedPage,
  type RefreshInterval,
  type Source,
  type SourceError,
} from './source.ts'
export {
  countSources,
  deleteHiddenSources,
  deleteSourceRow,
  findStaleSources,
  findTwin,
  insertSource,
  isBeingRead,
  updateSource,
  addSourceChunks,
  type SourceChange,
  type SourceRow,
} from './store.ts'
