export { contentsOf, type Chapter } from './contents.ts'
export { searchDocumentation } from './search-documentation.ts'
