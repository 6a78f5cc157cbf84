import { emptyCharacters, type QuestionWord } from '#features/text-analysis/index.ts'

/** What `analyse` makes of a run of several Han characters; texts have its characters as terms, too. */
const hanPair = /^\p{Script=Han}{2}$/u

/** The pairs of Han characters that a question is asked by. */
export function hanPairs(words: readonly QuestionWord[]): string[] {
  return words.map(({ term }) => term).filter((term) => hanPair.test(term))
}

/**
 * The characters of pairs that nothing holds, as words of the question: who asks to have money back in
 * other words than the text still shares a character with it. Beside a pair that is known they would
 * only add noise.
 */
export function singleCharacters(pairs: readonly string[]): QuestionWord[] {
  const characters = new Set(pairs.flatMap((pair) => [...pair]))
  return [...characters.difference(emptyCharacters)].map((term) => ({ term, forms: [term] }))
}
