import { emptyCharacters, type QuestionWord } from '#features/text-analysis/index.ts'

/** Searches for the characters of pairs, without those that every text contains. */
export function singleCharacters(pairs: readonly string[]): QuestionWord[] {
  const characters = new Set(pairs.flatMap((pair) => [...pair]))
  return [...characters.difference(emptyCharacters)].map((term) => ({
    term,
    forms: [term],
    count: 1,
  }))
}
