export {
  analyse,
  analyseGerman,
  analyseInSlices,
  analyseQuery,
  analyseQuestion,
  formsOf,
  hanPairs,
  type QuestionWord,
} from './analyse.ts'
export {
  analyseChunks,
  analyseChunksInSlices,
  analysisVersion,
  termsOfChunk,
  type AnalysedChunk,
} from './analyse-chunks.ts'
export { chunkInSlices, chunkText, eachChunk, type Chunk } from './chunking/chunk-text.ts'
export { estimateTokens } from './chunking/estimate-tokens.ts'
export { foldWord, unmarked } from './stem-word.ts'
export { emptyCharacters } from './stop-words.ts'
export { relatedWords } from './related-words.ts'
