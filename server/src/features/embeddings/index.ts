export { awaitEmbedding } from './await-embedding.ts'
export { embeddingJobs, embedKnowledge } from './embed-knowledge.ts'
export {
  embedQuery,
  type EmbeddedQuery,
  type QueryPorts,
  type Questioner,
  type WithoutVectors,
} from './embed-query.ts'
export { embedderOf, type Embedder } from './embed-texts.ts'
export { vectorIndex } from './vectors/vector-index.ts'
export type { NearChunk } from './vectors/vector-store.ts'
