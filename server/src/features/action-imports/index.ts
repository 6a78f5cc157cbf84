export { importActions } from './import-actions.ts'
