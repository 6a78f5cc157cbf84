import {
  actionMethods,
  namesIn,
  referencesIn,
  wholeReference,
  type ActionParameter,
  type NewAction,
} from '#features/actions/index.ts'
import { toolName } from '#features/tool-calls/index.ts'
import { isObject, parseJson } from '#kernel/json.ts'
import { CurlProblem, readCurlOptions, type CurlRequest } from './curl-options.ts'
import { shellWords } from './shell-words.ts'

/** Longer commands are not written by people, and the time to read one grows with each. */
const maxWords = 500
const maxPairs = 500
const maxInputs = 100

/**
 * Creates an action from a curl command. `{{name}}` anywhere in it becomes an argument of the model's
 * calls, and `$NAME` a variable of the agent.
 *
 * @throws CurlProblem
 */
export function importCurl(line: string): NewAction {
  const words = shellWords(line.trim().replace(/^[$%#>] +/, ''), maxWords)
  if (words === null) throw new CurlProblem('A quote is never closed.')
  if (words.length > maxWords) throw new CurlProblem(`It has more than ${maxWords} words.`)
  const [command, ...rest] = words
  if (command !== 'curl' && command !== 'curl.exe')
    throw new CurlProblem('It must begin with curl.')
  const request = readCurlOptions(rest)
  const [address, ...more] = request.urls
  if (address === undefined) throw new CurlProblem('It has no URL.')
  if (more.length > 0) throw new CurlProblem('It has several URLs; import one at a time.')
  const isWhole = /^(?:https?:\/\/|\{\{\s*var\.)/i.test(address)
  return toAction(request, isWhole ? address : `http://${address}`)
}

function toAction(request: CurlRequest, address: string): NewAction {
  const { url, query, login } = splitAddress(address)
  const headers = readHeaders(request, login)
  const contentType = headers.get('content-type') ?? ''
  const body = request.asQuery ? emptyBody : readBody(request, contentType)
  // The request gets a content type of its own with its body.
  if (body.parameters.length > 0 || body.template !== null) headers.delete('content-type')
  const asQuery = request.asQuery ? toParameters('query', formPairs(request)) : []
  const path = pathParameters(url)
  const headerParameters = [...headers].filter(([, value]) => hasInput(value))
  const wanted = (request.method ?? (body.isPresent ? 'POST' : 'GET')).toUpperCase()
  const method = actionMethods.find((one) => one === wanted)
  if (method === undefined) throw new CurlProblem(`${wanted} requests are not supported.`)
  const name = toolName(`${method.toLowerCase()}_${lastWords(url)}`)
  return {
    name,
    title: '',
    description: `${method} ${url.replaceAll(/\{\{?|\}\}?/g, '')}`,
    method,
    url: path.url,
    parameters: [
      ...path.parameters,
      ...toParameters('query', query),
      ...asQuery,
      ...headerParameters.map(([key, value]) => toParameter('header', key, value)),
      ...body.parameters,
    ],
    headers: Object.fromEntries([...headers].filter(([, value]) => !hasInput(value))),
    body_type: body.type,
    body_template: body.template,
  }
}

/** The variable for a login that the command takes from shell variables. */
export const basicAuth = 'BASIC_AUTH'

type Pair = readonly [key: string, value: string]

function splitAddress(address: string): { url: string; query: Pair[]; login: string | null } {
  const [, scheme = '', login, rest = ''] = /^(https?:\/\/)?(?:([^@/?#]*)@)?(.*)$/is.exec(address) ?? [] // prettier-ignore
  const [beforeHash = ''] = rest.split('#')
  const mark = beforeHash.indexOf('?')
  const path = mark === -1 ? beforeHash : beforeHash.slice(0, mark)
  const query = mark === -1 ? [] : pairsOf(beforeHash.slice(mark + 1))
  return {
    url: scheme + path,
    query,
    login: login === undefined ? null : decodedLogin(login),
  }
}

/** @throws CurlProblem */
function decodedLogin(login: string): string {
  try {
    return decodeURIComponent(login)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new CurlProblem('The user or password in its URL is not URL-encoded.')
  }
}

/** References stay as they are, because decoding does not change them. @throws CurlProblem */
function pairsOf(text: string): Pair[] {
  // Split alone is quick; to decode each part is not.
  if (text.split('&', maxPairs + 1).length > maxPairs)
    throw new CurlProblem(`It has more than ${maxPairs} parameters.`)
  return [...new URLSearchParams(text)]
}

/** `{{id}}` in the path becomes a path parameter; references to variables stay. */
function pathParameters(url: string): { url: string; parameters: ActionParameter[] } {
  const names = inputNames(url)
  let plain = url
  for (const name of names)
    plain = plain.replace(
      new RegExp(`\\{\\{\\s*${RegExp.escape(name)}\\s*\\}\\}`, 'g'),
      `{${name}}`,
    )
  return { url: plain, parameters: names.map((key) => given('path', key)) }
}

function readHeaders(
  { headers, user, data }: CurlRequest,
  login: string | null,
): Map<string, string> {
  const read = new Map<string, string>()
  // curl --json is --data with these two headers.
  if (data.some(({ option }) => option === 'json')) {
    read.set('content-type', 'application/json')
    read.set('accept', 'application/json')
  }
  for (const header of headers) {
    const [, name = '', value = ''] = /^([^:;]+):\s*(.*)$/s.exec(header) ?? []
    if (name !== '' && value !== '') read.set(name.trim().toLowerCase(), value.trim())
  }
  const account = user ?? login ?? null
  if (account !== null && !read.has('authorization')) {
    // A login in variables cannot be encoded here: its values are not known.
    const isKnown = referencesIn(account).length === 0
    const encoded = isKnown ? Buffer.from(account).toString('base64') : `{{var.${basicAuth}}}`
    read.set('authorization', `Basic ${encoded}`)
  }
  return read
}

interface CurlBody {
  readonly isPresent: boolean
  readonly type: 'json' | 'form' | 'text'
  readonly template: string | null
  readonly parameters: readonly ActionParameter[]
}

const emptyBody: CurlBody = { isPresent: false, type: 'json', template: null, parameters: [] }

function readBody(request: CurlRequest, contentType: string): CurlBody {
  const { data } = request
  if (data.length === 0) return emptyBody
  const isJson = data.some(({ option }) => option === 'json')
  // curl concatenates several --json and joins several --data with an ampersand.
  const text = data.map((one) => one.text).join(isJson ? '' : '&')
  const json =
    isJson || /json/i.test(contentType) || /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  if (json !== undefined) return jsonBody(text, json)
  if (contentType === '' || /x-www-form-urlencoded/i.test(contentType)) {
    const parameters = toParameters('body', formPairs(request))
    return { isPresent: true, type: 'form', template: null, parameters }
  }
  return { isPresent: true, type: 'text', template: text, parameters: inputs(text) }
}

/** The fields of an object become parameters; any other JSON becomes a template. */
function jsonBody(text: string, json: unknown): CurlBody {
  const isPlain =
    isObject(json) &&
    Object.keys(json).length > 0 &&
    Object.values(json).every(
      (value) => value !== null && (isWholeInput(value) || !hasInput(JSON.stringify(value))),
    )
  if (!isPlain) return { isPresent: true, type: 'json', template: text, parameters: inputs(text) }
  const parameters = Object.entries(json).map(([key, value]) => toParameter('body', key, value))
  return { isPresent: true, type: 'json', template: null, parameters }
}

function formPairs({ data }: CurlRequest): Pair[] {
  return data.flatMap(({ option, text }) =>
    option === 'data-urlencode' ? [encodedPair(text)] : pairsOf(text),
  )
}

/** Splits `name=value`, whose value curl would encode. */
function encodedPair(text: string): Pair {
  const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? []
  return [key, value]
}

/** A body parameter for each reference in a text. */
function inputs(text: string): ActionParameter[] {
  return inputNames(text).map((key) => given('body', key))
}

function inputNames(text: string): string[] {
  const names = namesIn(text, 'parameter')
  if (names.length > maxInputs) throw new CurlProblem(`It has more than ${maxInputs} {{names}}.`)
  return names
}

/** A repeated key becomes a list. */
function toParameters(place: 'query' | 'body', pairs: readonly Pair[]): ActionParameter[] {
  return [...Map.groupBy(pairs, ([key]) => key)].map(([key, same]) => {
    const values = same.map(([, value]) => value)
    return toParameter(place, key, values.length === 1 ? values[0] : values)
  })
}

function toParameter(
  place: 'query' | 'header' | 'body',
  key: string,
  value: unknown,
): ActionParameter {
  if (isWholeInput(value)) return given(place, key, nameOf(value))
  if (typeof value === 'string' && hasInput(value))
    throw new CurlProblem(`${key}: {{…}} must be the whole value, or a variable as {{var.NAME}}.`)
  return { in: place, key, type: typeOf(value), source: 'fixed', required: false, value, instructions: '' } // prettier-ignore
}

function given(place: ActionParameter['in'], key: string, name = key): ActionParameter {
  const instructions = name === key ? '' : name.replaceAll('_', ' ')
  return { in: place, key, type: 'string', source: 'ai', required: true, instructions }
}

function nameOf(value: unknown): string {
  return wholeReference(String(value))?.name ?? ''
}

function isWholeInput(value: unknown): boolean {
  return typeof value === 'string' && wholeReference(value)?.kind === 'parameter'
}

function hasInput(text: string): boolean {
  return namesIn(text, 'parameter').length > 0
}

function typeOf(value: unknown): ActionParameter['type'] {
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'object' && value !== null ? 'object' : 'string'
}

/** The last words of the path, or the host where the path is empty. */
function lastWords(url: string): string {
  const plain = url.replace(/^https?:\/\//i, '').replace(/\{+[^{}]*\}+/g, '')
  const [host = '', ...path] = plain.split('/').filter(Boolean)
  return path.length === 0 ? host : path.slice(-2).join('_')
}
