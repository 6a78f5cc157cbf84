export { addFileSource } from './add-file-source.ts'
export { checkPortableSource, placeSources, storePlaced } from './add-portable-sources.ts'
export { addTextSource } from './add-text-source.ts'
export { addUrlSource } from './add-url-source.ts'
export { deleteSource } from './delete-source.ts'
export { embedKnowledge } from './embed-knowledge.ts'
export {
  embedQuery,
  type EmbeddedQuery,
  type QueryPorts,
  type Questioner,
  type WithoutVectors,
} from './embed-query.ts'
export { failInterruptedSources } from './fail-interrupted-sources.ts'
export { getSource, sourceWorkspace } from './get-source.ts'
export { vectorIndex, type NearChunk } from './indexes/vector-index.ts'
export { crawlSource, ingestSource } from './ingest-source.ts'
export { knowledgeFaults } from './knowledge-faults.ts'
export { knowledgeJobs } from './knowledge-jobs.ts'
export { listDocuments, type SourceDocument } from './list-documents.ts'
export { listSources } from './list-sources.ts'
export {
  readPortableSources,
  type PortableKnowledge,
  type PortableSource,
  type SourceOrigin,
} from './portable-sources.ts'
export { refreshSource } from './refresh-source.ts'
export {
  refreshIntervals,
  sourceKinds,
  sourceStatuses,
  type Source,
  type SourceError,
} from './source.ts'
export { sweepEmbeddings } from './sweep-embeddings.ts'
