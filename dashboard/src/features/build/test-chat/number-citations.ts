/**
 * The numbers by which an answer cites each of its citations. The service numbers the passages that the
 * model read, and returns those that the answer cites, in their order: `[2] … [5]` comes with two
 * citations. An answer without such numbers has all of them, numbered from 1.
 */
export function numberCitations(answer: string, count: number): readonly number[] {
  const written = [...answer.matchAll(/\[(\d{1,2})\]/g)].map(([, digits]) => Number(digits))
  const numbers = [...new Set(written)].filter((number) => number > 0).sort((a, b) => a - b)
  if (numbers.length === count) return numbers
  return Array.from({ length: count }, (_, index) => index + 1)
}
