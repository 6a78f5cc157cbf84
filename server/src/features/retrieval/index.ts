export { retrievePassages, type KnowingAgent } from './retrieve-passages.ts'
export { searchKnowledge, type FoundSource } from './search-knowledge.ts'
