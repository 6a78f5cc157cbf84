import { CurlProblem } from './curl-problem.ts'

/** What a curl line asks for, as far as a request of an action can. */
export interface CurlRequest {
  readonly urls: readonly string[]
  readonly method: string | null
  readonly headers: readonly string[]
  readonly data: readonly { readonly kind: 'data' | 'urlencode' | 'json'; readonly text: string }[]
  /** What `--url-query` adds to the address, as `--data-urlencode` writes it. */
  readonly query: readonly string[]
  readonly user: string | null
  readonly asQuery: boolean
  /** Seconds, as written. */
  readonly maxTime: string | null
}

type Taken =
  | 'method'
  | 'header'
  | 'data'
  | 'urlencode'
  | 'query'
  | 'json'
  | 'user'
  | 'url'
  | 'agent'
  | 'referer'
  | 'cookie'
  | 'bearer'
  | 'maxTime'
  | 'nothing'

/** Options that take a value, by their long names. */
const withValue: Readonly<Record<string, Taken>> = {
  request: 'method',
  header: 'header',
  data: 'data',
  'data-ascii': 'data',
  'data-raw': 'data',
  'data-binary': 'data',
  'data-urlencode': 'urlencode',
  json: 'json',
  'url-query': 'query',
  user: 'user',
  url: 'url',
  'user-agent': 'agent',
  referer: 'referer',
  cookie: 'cookie',
  'oauth2-bearer': 'bearer',
  'max-time': 'maxTime',
  ...namesOf(
    'output output-dir dump-header write-out stderr trace trace-ascii cookie-jar connect-timeout ' +
      'max-redirs max-filesize retry retry-delay retry-max-time limit-rate speed-limit speed-time ' +
      'keepalive-time happy-eyeballs-timeout-ms proto proto-default proto-redir tls-max ciphers ' +
      'tls13-ciphers capath crlfile pinnedpubkey interface dns-servers noproxy local-port',
  ),
}

/** How the answer is fetched and kept, which is ours to say. */
function namesOf(names: string): Record<string, 'nothing'> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'nothing' as const]))
}

const shortNames: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  u: 'user',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  m: 'max-time',
  o: 'output',
  w: 'write-out',
  c: 'cookie-jar',
  D: 'dump-header',
  y: 'speed-time',
  Y: 'speed-limit',
}

/** Options that change what is sent in ways an action has no field for. */
const unsupported = new Set(
  (
    'form form-string upload-file proxy cert key cacert resolve connect-to unix-socket config next ' +
    'range continue-at time-cond digest ntlm negotiate anyauth aws-sigv4 F T x K E r C z :'
  ).split(' '),
)

/**
 * Reads the words of a curl line, without `curl` itself.
 *
 * @throws CurlProblem
 */
export function readCurlOptions(words: readonly string[]): CurlRequest {
  const found = new Map<Taken, string[]>()
  const data: { kind: 'data' | 'urlencode' | 'json'; text: string }[] = []
  let asQuery = false
  let head = false

  function take(name: string, value: string): void {
    const kind = withValue[name] ?? 'nothing'
    if (readsFile(name, kind, value))
      throw new CurlProblem(`--${name} reads a file, which is not here: put its content in.`)
    if (kind === 'data' || kind === 'urlencode' || kind === 'json') data.push({ kind, text: value })
    else found.set(kind, [...(found.get(kind) ?? []), value])
  }

  function flag(name: string): void {
    if (unsupported.has(name)) throw new CurlProblem(`${dashed(name)} is not supported.`)
    if (name === 'get' || name === 'G') asQuery = true
    if (name === 'head' || name === 'I') head = true
  }

  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const option = readOption(word)
    if (option === null) take('url', word)
    else {
      for (const name of option.flags) flag(name)
      if (option.takes === null) continue
      const value = option.value ?? words[(at += 1)]
      if (value === undefined) throw new CurlProblem(`--${option.takes} has no value.`)
      take(option.takes, value)
    }
  }
  if (head) throw new CurlProblem('A HEAD request has no answer to read.')
  return {
    urls: found.get('url') ?? [],
    method: found.get('method')?.at(-1) ?? null,
    headers: [...(found.get('header') ?? []), ...shorthandHeaders(found)],
    data,
    query: found.get('query') ?? [],
    user: found.get('user')?.at(-1) ?? null,
    asQuery,
    maxTime: found.get('maxTime')?.at(-1) ?? null,
  }
}

function readsFile(name: string, kind: Taken, value: string): boolean {
  switch (kind) {
    case 'data':
      return value.startsWith('@') && name !== 'data-raw'
    case 'json':
    case 'header':
      return value.startsWith('@')
    case 'urlencode':
    case 'query':
      return /^[^=]*@/.test(value)
    case 'cookie':
      return !value.includes('=')
    default:
      return false
  }
}

interface Option {
  readonly flags: readonly string[]
  /** The long name of an option with a value. */
  readonly takes: string | null
  /** Its value where it stands in the same word. */
  readonly value?: string
}

/** Null for a word that is no option. */
function readOption(word: string): Option | null {
  if (word === '-' || !word.startsWith('-')) return null
  if (word.startsWith('--')) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? []
    if (withValue[name] === undefined) return { flags: [name], takes: null }
    return value === undefined ? { flags: [], takes: name } : { flags: [], takes: name, value }
  }
  // `-sXPOST` is `-s -X POST`.
  const letters = word.slice(1)
  for (let at = 0; at < letters.length; at += 1) {
    const takes = shortNames[letters.charAt(at)]
    if (takes === undefined) continue
    const flags = letters.slice(0, at).split('')
    const value = letters.slice(at + 1)
    return value === '' ? { flags, takes } : { flags, takes, value }
  }
  return { flags: [...letters], takes: null }
}

function shorthandHeaders(found: ReadonlyMap<Taken, readonly string[]>): string[] {
  const last = (kind: Taken) => found.get(kind)?.at(-1)
  const pairs = [
    ['User-Agent', last('agent')],
    ['Referer', last('referer')],
    ['Cookie', last('cookie')],
    ['Authorization', last('bearer') && `Bearer ${last('bearer')}`],
  ] as const
  return pairs.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`
}
