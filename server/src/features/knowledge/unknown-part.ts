/** A term of a script that puts no spaces between words: two characters of a run, see `analyse`. */
const pair = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{2}$/u

/**
 * The part of a question's terms that nothing holds, from 0 to 1. Of a run of characters every other
 * pair reaches from one word into the next, and no text holds it: a pair is unknown only when both of
 * its characters are in no pair that is known.
 *
 * @param known those of the terms that some chunk holds
 */
export function unknownPart(terms: readonly string[], known: ReadonlySet<string>): number {
  if (terms.length === 0) return 1
  const characters = new Set(
    [...known].filter((term) => pair.test(term)).flatMap((term) => [...term]),
  )
  const isKnown = (term: string) =>
    known.has(term) || (pair.test(term) && [...term].some((one) => characters.has(one)))
  return terms.filter((term) => !isKnown(term)).length / terms.length
}
