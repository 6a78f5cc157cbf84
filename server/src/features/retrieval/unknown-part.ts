import type { QuestionWord } from '#features/text-analysis/index.ts'

/** A term of a script that puts no spaces between words: two characters of a run, see `analyse`. */
const pair = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{2}$/u

/**
 * The part of a question's words that nothing holds, from 0 to 1. Of a run of characters every other
 * pair reaches from one word into the next, and no text holds it: a pair is unknown only when both of
 * its characters are in no pair that is known.
 *
 * @param known those of their forms that some chunk holds
 */
export function unknownPart(words: readonly QuestionWord[], known: ReadonlySet<string>): number {
  if (words.length === 0) return 1
  const characters = new Set(
    [...known].filter((term) => pair.test(term)).flatMap((term) => [...term]),
  )
  const isKnown = ({ term, forms }: QuestionWord) =>
    forms.some((form) => known.has(form)) ||
    (pair.test(term) && [...term].some((one) => characters.has(one)))
  return words.filter((word) => !isKnown(word)).length / words.length
}
