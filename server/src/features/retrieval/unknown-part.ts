import type { QuestionWord } from '#features/text-analysis/index.ts'

/** A term of a script without spaces: two characters of a run, see `analyse`. */
const pair = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{2}$/u

/**
 * The part of a question's words that no chunk contains, from 0 to 1. In a run of characters, many pairs
 * span two words, and no text contains them. So a pair is unknown only if neither of its characters is
 * in a known pair.
 *
 * @param known the forms that some chunk contains
 */
export function unknownPart(
  words: readonly QuestionWord[],
  known: ReadonlyMap<string, number>,
): number {
  if (words.length === 0) return 1
  const characters = new Set(
    [...known.keys()].filter((term) => pair.test(term)).flatMap((term) => [...term]),
  )
  const isKnown = ({ term, forms }: QuestionWord) =>
    forms.some((form) => known.has(form)) ||
    (pair.test(term) && [...term].some((one) => characters.has(one)))
  return words.filter((word) => !isKnown(word)).length / words.length
}
