export { pruneEndedRecords } from './prune-ended-records.ts'
