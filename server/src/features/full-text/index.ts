export {
  findCollection,
  findChunkByEnds,
  findChunkIds,
  findPassages,
  growCollection,
  lastChunkId,
  listChunkIds,
  listChunksOfDocument,
  listChunkTexts,
  sumChunks,
  type Collection,
} from './chunk-store.ts'

export { indexChunks } from './index-chunks.ts'
export { indexDocuments } from './index-documents.ts'
export { publishSegments, dropFromSegments } from './segment-store.ts'
export { removeChunks, removeSomeChunks } from './remove-chunks.ts'
export { renewIndex } from './renew-index.ts'
export { mergeCrowded, tendIndex } from './tend-index.ts'
export { b, headingWeight, k1, type ScoredChunk, type TermSearch } from './index-store.ts'
export { inverseDocumentFrequency } from './rank-segments.ts'
export { searchTerms } from './segment-index.ts'
export { listTerms } from './term-store.ts'
