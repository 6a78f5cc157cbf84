/** After these letters, `s` or `st` is an ending. */
const beforeEnding = 'bdfghklmnt'

/** The `s` of borrowed words, but not that of words in `los`, `glas`, `gras` and `gas`. */
const borrowedS = /(?:[eo]r|y|(?<!l)o|(?<![gl]|gr)a)s$/

/**
 * Light stemming of a German word, lowercase and folded (`ä` is `a`, `ß` is `ss`). It removes endings of
 * nouns and adjectives and keeps word formation (Savoy 2006, "Light stemming approaches for the French,
 * Portuguese, German and Hungarian languages"). It also removes the `s` of borrowed words (`Autos`,
 * `Handys`), the `s` after `er` and `or` (`des Nutzers`), and the letter that `-in` and `-nis` double
 * before an ending (`Kundinnen`, `Ergebnisse`). Snowball's stemmer keeps these, see bench/README.md.
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
