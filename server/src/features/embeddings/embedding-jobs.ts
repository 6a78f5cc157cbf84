import { embedKnowledge } from './embed-knowledge.ts'
import { sweepEmbeddings } from './sweep-embeddings.ts'

export const embeddingJobs = [embedKnowledge, sweepEmbeddings]
