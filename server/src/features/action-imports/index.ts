export { importFaults } from './import-faults.ts'
export { importActions } from './import-actions.ts'
