export { searchDocumentation, type FoundPassage } from './search-documentation.ts'
