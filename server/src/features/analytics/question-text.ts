/** The most of a question that is kept, in UTF-16 code units. */
export const maxQuestionLength = 200

/**
 * A question as it is counted: without case, without what stands around and between its words.
 * Empty for what says nothing.
 */
export function questionText(content: string): string {
  const text = content.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
  const bare = text.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return bare.slice(0, maxQuestionLength).toWellFormed()
}
