export { addFileSource } from './add-file-source.ts'
export {
  checkPortableSource,
  placeSources,
  removePlaced,
  storePlaced,
  type PlacedSource,
} from './add-portable-sources.ts'
export { addTextSource } from './add-text-source.ts'
export { addUrlSource } from './add-url-source.ts'
export { failInterruptedSources } from './fail-interrupted-sources.ts'
export { ingestionJobs, ingestSource } from './ingest-source.ts'
export { countListed, countMisplaced, shareObjects } from './file-object-store.ts'
export { fileJobs } from './move-files.ts'
export { ingestionFaults } from './ingestion-faults.ts'
export { pageFaults } from './crawl/page-faults.ts'
export {
  readPortableSources,
  type PortableKnowledge,
  type PortableSource,
  type SourceOrigin,
} from './portable-sources.ts'
export { refreshSource } from './refresh-source.ts'
export { updateSource } from './update-source.ts'
export { openOriginal, type Original } from './open-original.ts'
