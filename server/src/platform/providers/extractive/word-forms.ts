/**
 * Whether two words look like forms of one word: they differ only in a short ending. This works for
 * every language that inflects at the end, and never matches short words. `bareWord` removes
 * prefixes first.
 */
export function isForm(first: string, second: string): boolean {
  const [one, other] = [bareWord(first), bareWord(second)]
  const shorter = Math.min(one.length, other.length)
  if (shorter < 4 || Math.abs(one.length - other.length) > 4) return false
  let shared = 0
  while (shared < shorter && one[shared] === other[shared]) shared += 1
  // `store` and `storing` match, `units` and `united` do not.
  const isWhole = [one, other].some((word) => ['', 'e'].includes(word.slice(shared)))
  return shared >= Math.max(isWhole ? 4 : 5, shorter - 1)
}

/** The fewest letters that a compound has beside its part. */
const minRest = 4

/** Endings that a word loses at the beginning of a compound. */
const ending = /(?<=.{5})(?:e[ns]?|n|s)$/

/**
 * Whether one of two words is a compound that begins or ends with the other: `Rechnungen`,
 * `Rechnungskauf`.
 */
export function isPart(one: string, other: string): boolean {
  const [part, whole] = one.length < other.length ? [one, other] : [other, one]
  const stem = part.replace(ending, '')
  if (whole.length < stem.length + minRest) return false
  return whole.startsWith(stem) || whole.endsWith(part)
}

/**
 * Arabic conjunctions, prepositions and the article, written as prefixes of a word; longest first.
 */
const fronts = ['وال', 'فال', 'بال', 'كال', 'ولل', 'ال', 'لل']

/** Arabic verb prefixes of person: `يستغرق` he takes, `تستغرق` she takes. */
const persons = ['ي', 'ت']

/** The fewest letters of a word that are kept. */
const minLetters = 3

/**
 * Removes Arabic prefixes, so that the forms of a word begin alike. A word in another script is
 * returned unchanged.
 */
export function bareWord(word: string): string {
  if (!/^\p{Script=Arabic}/u.test(word)) return word
  const front = fronts.find((one) => word.startsWith(one)) ?? ''
  const bare = word.length - front.length < minLetters ? word : word.slice(front.length)
  const isVerb = persons.some((letter) => bare.startsWith(letter))
  return isVerb && bare.length > minLetters + 1 && front === '' ? bare.slice(1) : bare
}
