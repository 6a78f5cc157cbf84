/** After these an `s`, or `st`, is an ending. */
const beforeEnding = 'bdfghklmnt'

/** `los`, `glas`, `gras` and `gas` end words that are not borrowed. */
const borrowedS = /(?:[eo]r|y|(?<!l)o|(?<![gl]|gr)a)s$/

/**
 * Light stemming of a German word, lowercase and folded (`ä` is `a`, `ß` is `ss`): endings of nouns and
 * adjectives go, word formation stays (Savoy 2006, "Light stemming approaches for the French,
 * Portuguese, German and Hungarian languages"). Beyond that go the `s` of borrowed words (`Autos`,
 * `Handys`), the one after `er` and `or` (`des Nutzers`), and what `-in` and `-nis` double before an
 * ending (`Kundinnen`, `Ergebnisse`).
 */
export function stemGerman(word: string): string {
  return withoutSuperlative(withoutCase(withoutBorrowedS(word))).replace(/(?<=i)(n|s)\1$/, '$1')
}

function withoutBorrowedS(word: string): string {
  return word.length > 4 && borrowedS.test(word) ? word.slice(0, -1) : word
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
