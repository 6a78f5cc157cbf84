export { backUpDatabase } from './back-up-database.ts'
export { latestBackupProblem } from './backup-store.ts'
