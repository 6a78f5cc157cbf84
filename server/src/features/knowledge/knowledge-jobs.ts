import { renewIndex } from '#features/full-text/index.ts'
import { embedKnowledge } from './embed-knowledge.ts'
import { crawlSource, ingestSource } from './ingest-source.ts'
import { sweepEmbeddings } from './sweep-embeddings.ts'

export const knowledgeJobs = [
  ingestSource,
  crawlSource,
  embedKnowledge,
  sweepEmbeddings,
  renewIndex,
]
