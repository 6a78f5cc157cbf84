export {
  findCollection,
  findPassages,
  growCollection,
  lastChunkId,
  listChunkIds,
  listChunkTexts,
  sumChunks,
  type CollectionRow,
} from './chunk-store.ts'
export { findChunkIds } from './analysis-store.ts'
export { indexChunks } from './index-chunks.ts'
export { rebuildIndex } from './rebuild-index.ts'
export { removeChunks, removeSomeChunks } from './remove-chunks.ts'
export { noteEmptyIndex, renewIndex } from './renew-index.ts'
export { b, headingWeight, k1, type ScoredChunk } from './index-store.ts'
export { searchIndexes } from './search-index.ts'
