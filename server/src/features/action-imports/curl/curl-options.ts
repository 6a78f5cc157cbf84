import { parseArgs } from 'node:util'

/** Why a curl command cannot become an action, as a sentence for the person who pasted it. */
export class CurlProblem extends Error {
  override readonly name = 'CurlProblem'
}

/** The parts of a curl command that an action can send. */
export interface CurlRequest {
  readonly urls: readonly string[]
  readonly method: string | undefined
  readonly headers: readonly string[]
  readonly data: readonly CurlData[]
  readonly user: string | undefined
  /** `-G`: the data is sent in the query. */
  readonly asQuery: boolean
}

interface CurlData {
  readonly option: string
  readonly text: string
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** The options in what browsers and API clients copy and in what API documentation shows. */
const options = {
  request: { ...text, short: 'X' },
  url: text,
  get: { ...flag, short: 'G' },
  header: { ...text, short: 'H' },
  'user-agent': { ...text, short: 'A' },
  referer: { ...text, short: 'e' },
  cookie: { ...text, short: 'b' },
  user: { ...text, short: 'u' },
  data: { ...text, short: 'd' },
  'data-raw': text,
  'data-binary': text,
  'data-urlencode': text,
  json: text,
  // Ignored from here on: how curl connects and prints.
  output: { ...text, short: 'o' },
  compressed: flag,
  fail: { ...flag, short: 'f' },
  globoff: { ...flag, short: 'g' },
  'http1.1': flag,
  http2: flag,
  include: { ...flag, short: 'i' },
  insecure: { ...flag, short: 'k' },
  location: { ...flag, short: 'L' },
  'no-buffer': { ...flag, short: 'N' },
  'show-error': { ...flag, short: 'S' },
  silent: { ...flag, short: 's' },
  verbose: { ...flag, short: 'v' },
} as const

/** Values with which curl would read a file of the person's machine. */
const readsFile: Readonly<Record<string, RegExp>> = {
  header: /^@/,
  data: /^@/,
  'data-binary': /^@/,
  json: /^@/,
  'data-urlencode': /^[^=]*@/,
  cookie: /^[^=]*$/,
}

/**
 * Reads the words of a curl command, without `curl` itself.
 *
 * @throws CurlProblem
 */
export function readCurlOptions(words: readonly string[]): CurlRequest {
  const args = { args: [...words], options, strict: false, allowPositionals: true } as const
  const given = parseArgs({ ...args, tokens: true }).tokens.flatMap((token) => {
    if (token.kind === 'option-terminator') return []
    if (token.kind === 'positional') return [{ option: 'url', text: token.value }]
    requireSupported(token.name, token.rawName, token.value)
    return [{ option: token.name, text: token.value ?? '' }]
  })
  const all = (option: string) =>
    given.filter((one) => one.option === option).map((one) => one.text)
  const shorthands = ['user-agent', 'referer', 'cookie'].flatMap((name) =>
    all(name).map((value) => `${name}: ${value}`),
  )
  return {
    urls: all('url'),
    method: all('request').at(-1),
    headers: [...all('header'), ...shorthands],
    data: given.filter(({ option }) => option.startsWith('data') || option === 'json'),
    user: all('user').at(-1),
    asQuery: all('get').length > 0,
  }
}

/** @throws CurlProblem */
function requireSupported(name: string, written: string, value: string | undefined): void {
  const option = Object.entries(options).find(([known]) => known === name)?.[1]
  if (written === '-F' || name === 'form')
    throw new CurlProblem(`${written} is not supported: actions cannot send multipart forms.`)
  if (option === undefined) throw new CurlProblem(`${written} is not supported.`)
  if (option.type === 'string' && value === undefined)
    throw new CurlProblem(`${written} has no value.`)
  if (readsFile[name]?.test(value ?? ''))
    throw new CurlProblem(`${written} reads a file: put the file's content into the command.`)
}
