export { addFileSource, type NewFileSource } from './add-file-source.ts'
export { addUrlSource, type NewUrlSource } from './add-url-source.ts'
export { addTextSource, type NewTextSource } from './add-text-source.ts'
export { analyse, analyseQuery } from './analyse.ts'
export { chunkText } from './chunk-text.ts'
export { deleteSource } from './delete-source.ts'
export { failInterruptedSources } from './fail-interrupted-sources.ts'
export { getSource, sourceWorkspace } from './get-source.ts'
export { ingestSource } from './ingest-source.ts'
export { knowledgeFaults } from './knowledge-faults.ts'
export { listSources } from './list-sources.ts'
export { rebuildIndex } from './rebuild-index.ts'
export { refreshSource } from './refresh-source.ts'
export { retrievePassages } from './retrieve-passages.ts'
export { searchKnowledge, type KnowledgeQuery } from './search-knowledge.ts'
export {
  refreshIntervals,
  sourceKinds,
  sourceStatuses,
  type Source,
  type SourceError,
  type SourceStatus,
} from './source.ts'
