/** "And", "so", prepositions and the article, as they are written onto a word; the longest first. */
const fronts = ['وال', 'فال', 'بال', 'كال', 'ولل', 'ال', 'لل']

/** The letters by which a verb says whose doing it is: `يستغرق` he takes, `تستغرق` she takes. */
const persons = ['ي', 'ت']

/** How many letters of a word stay at least. */
const minLetters = 3

/**
 * A word without what is written onto its front, so that its forms begin alike. Arabic alone inflects
 * so; a word of any other script is given back.
 */
export function bareWord(word: string): string {
  if (!/^\p{Script=Arabic}/u.test(word)) return word
  const front = fronts.find((one) => word.startsWith(one)) ?? ''
  const bare = word.length - front.length < minLetters ? word : word.slice(front.length)
  const isVerb = persons.some((letter) => bare.startsWith(letter))
  return isVerb && bare.length > minLetters + 1 && front === '' ? bare.slice(1) : bare
}
