/** The meaning of a character after a backslash in `$'…'` (POSIX 2024, 2.2.4). */
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
}

/**
 * Splits a command into its words as a shell does: three kinds of quotes, backslashes and continued
 * lines. Pipes and redirections are left out. Nothing is run, and a shell variable becomes a variable
 * of the agent: `$API_KEY` is `{{var.API_KEY}}`.
 *
 * @param mostWords words after this number are not read, except one
 * @returns null when a quote is never closed
 */
export function shellWords(line: string, mostWords: number): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  while (at < line.length) {
    const rest = line.slice(at)
    const space = /^(?:\s|\\\r?\n)+/.exec(rest)
    if (space !== null) {
      if (word !== null) words.push(word)
      if (words.length > mostWords) return words
      word = null
      at += space[0].length
      continue
    }
    if (word === null && commandEnd.test(rest)) break
    const piece = readPiece(rest)
    if (piece === null) return null
    word = (word ?? '') + piece.text
    at += piece.length
  }
  if (word !== null) words.push(word)
  return words
}

/** A pipe, a redirection, or another command. */
const commandEnd = /^(?:[|;&]|<(?=[\s<(])|[0-2&]?>)/

/** Only names in upper case, which is how environment variables are written. */
const shellVariable = /\$(?:\{([A-Z][A-Z0-9_]*)\}|([A-Z][A-Z0-9_]*))/
const variableHere = new RegExp(`^${shellVariable.source}`)
const specialInDouble = new RegExp(`\\\\(\\r?\\n|.)|${shellVariable.source}`, 'gs')

interface Piece {
  readonly text: string
  /** In characters of the line. */
  readonly length: number
}

function readPiece(rest: string): Piece | null {
  const ansi = /^\$'((?:[^'\\]|\\.)*)'/s.exec(rest)
  if (ansi !== null) return { text: unescapeAnsi(ansi[1] ?? ''), length: ansi[0].length }
  const single = /^'([^']*)'/s.exec(rest)
  if (single !== null) return { text: single[1] ?? '', length: single[0].length }
  const double = /^"((?:[^"\\]|\\.)*)"/s.exec(rest)
  if (double !== null) return { text: unescapeDouble(double[1] ?? ''), length: double[0].length }
  if (/^['"]/.test(rest)) return null
  const variable = variableHere.exec(rest)
  if (variable !== null) return { text: asReference(variable), length: variable[0].length }
  const escaped = /^\\(.)/s.exec(rest)
  if (escaped !== null) return { text: escaped[1] ?? '', length: escaped[0].length }
  const [plain = ''] = /^[^\s'"\\$]+|^./s.exec(rest) ?? []
  return { text: plain, length: plain.length }
}

function unescapeDouble(text: string): string {
  return text.replace(specialInDouble, (whole, next?: string, braced?: string, plain?: string) => {
    if (next === undefined) return asReference([whole, braced, plain])
    if (/^\r?\n$/.test(next)) return ''
    return '"\\$`'.includes(next) ? next : whole
  })
}

function asReference([, braced, plain]: readonly (string | undefined)[]): string {
  return `{{var.${braced ?? plain ?? ''}}}`
}

function unescapeAnsi(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))/gs,
    (_, hex?: string, unicode?: string, octal?: string, other = '') => {
      if (hex !== undefined || unicode !== undefined)
        return String.fromCodePoint(Number.parseInt(hex ?? unicode ?? '', 16))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      return escapes[other] ?? other
    },
  )
}
