export { nameRecords, type NamedRecord } from './name-records.ts'
export { recordKinds } from './store.ts'
