/** After these an `s`, or `st`, is an ending. */
const beforeEnding = 'bdfghklmnt'

/**
 * Light stemming of a German word, lowercase and folded (`ä` is `a`, `ß` is `ss`): endings of nouns and
 * adjectives go, word formation stays (Savoy 2006, "Light stemming approaches for the French,
 * Portuguese, German and Hungarian languages").
 */
export function stemGerman(word: string): string {
  return withoutSuperlative(withoutCase(word))
}

function withoutCase(word: string): string {
  const { length } = word
  if (length > 5 && word.endsWith('ern')) return word.slice(0, -3)
  if (length > 4 && /e[mnrs]$/.test(word)) return word.slice(0, -2)
  if (length > 3 && word.endsWith('e')) return word.slice(0, -1)
  if (length > 3 && endsAfterConsonant(word, 's')) return word.slice(0, -1)
  return word
}

function withoutSuperlative(word: string): string {
  const { length } = word
  if (length > 5 && word.endsWith('est')) return word.slice(0, -3)
  if (length > 4 && /e[rn]$/.test(word)) return word.slice(0, -2)
  if (length > 4 && endsAfterConsonant(word, 'st')) return word.slice(0, -2)
  return word
}

function endsAfterConsonant(word: string, ending: string): boolean {
  return word.endsWith(ending) && beforeEnding.includes(word.at(-ending.length - 1) ?? ' ')
}
