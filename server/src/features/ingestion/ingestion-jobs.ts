import { crawlSource, ingestSource } from './ingest-source.ts'

export const ingestionJobs = [ingestSource, crawlSource]
