/**
 * Arabic conjunctions, prepositions and the article, written as prefixes of a word; longest first.
 */
const fronts = ['وال', 'فال', 'بال', 'كال', 'ولل', 'ال', 'لل']

/** Arabic verb prefixes of person: `يستغرق` he takes, `تستغرق` she takes. */
const persons = ['ي', 'ت']

/** How many letters of a word stay at least. */
const minLetters = 3

/**
 * Strips Arabic prefixes, so that the forms of a word begin alike. Arabic alone inflects so; a word
 * of any other script is returned unchanged.
 */
export function bareWord(word: string): string {
  if (!/^\p{Script=Arabic}/u.test(word)) return word
  const front = fronts.find((one) => word.startsWith(one)) ?? ''
  const bare = word.length - front.length < minLetters ? word : word.slice(front.length)
  const isVerb = persons.some((letter) => bare.startsWith(letter))
  return isVerb && bare.length > minLetters + 1 && front === '' ? bare.slice(1) : bare
}
