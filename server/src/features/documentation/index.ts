export { searchDocumentation } from './search-documentation.ts'
