export { pruneAccounts } from './prune-accounts.ts'
export { pruneEndedRecords } from './prune-ended-records.ts'
