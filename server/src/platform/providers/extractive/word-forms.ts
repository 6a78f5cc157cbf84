/** Endings longer than three letters that make another form of a word, in languages of Latin script. */
const longEndings = new Set(
  'able ably ation ations ator ators ement ements ible ings ions ised ized ising izing less ment ments ness ships ship ungen schaft heit keit'.split(
    ' ',
  ),
)

/** `shipping`, `logged`, `cancellation`: an ending after the last letter, which is doubled. */
const afterDouble = new Set(['ed', 'er', 'ers', 'ing', 'ings', 'ation', 'ations', 'able'])

/**
 * Whether two words look like forms of one word: they differ only in a short ending. This works for
 * every language that inflects at the end. Short words match only their plural, or a form with a
 * doubled letter. `bareWord` removes prefixes first.
 */
export function isForm(first: string, second: string): boolean {
  const [one, other] = [bareWord(first), bareWord(second)]
  const shorter = Math.min(one.length, other.length)
  let shared = 0
  while (shared < shorter && one[shared] === other[shared]) shared += 1
  const rests = [one.slice(shared), other.slice(shared)]
  const longer = rests.find((rest) => rest !== '') ?? ''
  if (rests.includes('') && isDoubled(one[shared - 1], longer)) return shared >= 3
  if (shorter === 3) return rests.includes('') && /^e?s$/.test(longer)
  if (shorter < 4 || rests.some((rest) => !isEnding(rest))) return false
  // `store` and `storing` match, `units` and `united` do not.
  const isWhole = rests.some((rest) => ['', 'e'].includes(rest))
  return shared >= Math.max(isWhole ? 4 : 5, shorter - 1)
}

function isDoubled(last: string | undefined, rest: string): boolean {
  return rest[0] === last && afterDouble.has(rest.slice(1))
}

/** Other scripts have endings of up to four letters. */
function isEnding(rest: string): boolean {
  if (rest.length <= 3 || longEndings.has(rest)) return true
  return rest.length === 4 && !/^[a-z]/.test(rest)
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
