export { retrievePassages, type FoundKnowledge, type KnowingAgent } from './retrieve.ts'
export { searchKnowledge, type FoundSource } from './search-knowledge.ts'
