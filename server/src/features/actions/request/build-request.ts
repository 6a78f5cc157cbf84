import { CallFailure, type Arguments } from '#features/tool-calls/index.ts'
import { isForHost, type OpenVariables } from '#features/variables/index.ts'
import { isHeaderValue } from '#kernel/http-header.ts'
import { withoutEnd } from '#kernel/without-end.ts'
import type { ActionDefinition, ActionParameter, SystemValue } from './action-definition.ts'
import { argumentNames } from './argument-schema.ts'
import { buildBody, textOf, type GivenParameter } from './build-body.ts'
import { fillPath, fillTemplate, namesIn, type Reference } from './template.ts'

/** The values that a conversation provides. */
export type SystemValues = Readonly<Record<SystemValue, string>>

export interface CallValues {
  readonly arguments: Arguments
  readonly variables: OpenVariables
  readonly system: SystemValues
  /** Verified claims about the end user; absent if there are none. */
  readonly user?: Readonly<Record<string, string | number | boolean>> | undefined
}

export interface ActionRequest {
  readonly method: ActionDefinition['method']
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Whether a redirect to another origin may be followed. */
  mayRedirect(url: URL): boolean
}

/**
 * Builds the request of one call. Values cannot change its structure: each is encoded for its place, and
 * none can reach the host, another segment of the path or another header.
 *
 * @throws CallFailure variable_missing, secret_not_for_host, bad_arguments, address_refused
 */
export function buildRequest(definition: ActionDefinition, values: CallValues): ActionRequest {
  const usedSecrets = new Set<string>()
  const resolve = (reference: Reference) => String(resolveReference(reference, values, usedSecrets))
  const given = givenParameters(definition, values, resolve, usedSecrets)
  const inPlace = (place: ActionParameter['in']) =>
    given.filter(({ parameter }) => parameter.in === place)
  const url = buildUrl(definition.url, inPlace('path'), resolve)
  for (const { parameter, value } of inPlace('query'))
    for (const one of queryTexts(value)) url.searchParams.append(parameter.key, one)
  const fixed = Object.entries(definition.headers)
  const headers = [
    ...fixed.map(([name, text]) => [name, fillTemplate(text, resolve)] as const),
    ...inPlace('header').map(({ parameter, value }) => [parameter.key, textOf(value)] as const),
  ]
  const content = buildBody(definition, inPlace('body'), resolve)
  requireHosts(usedSecrets, values.variables, url)
  const sent = headersOf(headers, content?.type ?? null)
  return {
    method: definition.method,
    url,
    headers: sent,
    body: content?.text ?? null,
    mayRedirect: (next) => mayRedirect(usedSecrets, values.variables, sent, next),
  }
}

function givenParameters(
  { parameters }: ActionDefinition,
  values: CallValues,
  resolve: (reference: Reference) => string,
  usedSecrets: Set<string>,
): GivenParameter[] {
  const names = new Map([...argumentNames(parameters)].map(([name, one]) => [one, name]))
  return parameters.flatMap((parameter) => {
    const value = valueOf(parameter, names.get(parameter), values, resolve, usedSecrets)
    return value === undefined ? [] : [{ parameter, value }]
  })
}

function valueOf(
  parameter: ActionParameter,
  argumentName: string | undefined,
  values: CallValues,
  resolve: (reference: Reference) => string,
  usedSecrets: Set<string>,
): unknown {
  const { source, value, required } = parameter
  if (source === 'ai')
    return argumentName === undefined ? undefined : values.arguments[argumentName]
  if (source === 'fixed') return filled(value, resolve)
  const reference = { kind: source, name: String(value) } as const
  // An optional parameter is left out if its variable does not exist.
  const isAbsent = source === 'variable' && !values.variables.byName.has(reference.name)
  return isAbsent && !required ? undefined : resolveReference(reference, values, usedSecrets)
}

function filled(value: unknown, resolve: (reference: Reference) => string): unknown {
  if (typeof value === 'string') return fillTemplate(value, resolve)
  if (Array.isArray(value)) return value.map((one) => filled(one, resolve))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, resolve)]))
}

function resolveReference(
  { kind, name }: Reference,
  { variables, system, user }: CallValues,
  usedSecrets: Set<string>,
): string | number | boolean {
  if (kind === 'user') {
    if (user !== undefined && Object.hasOwn(user, name)) return user[name] ?? ''
    throw new CallFailure('variable_missing', `The person is not verified, or has no ${name}.`)
  }
  // The definition was checked: any other reference is a system value.
  if (kind !== 'variable') return system[name as SystemValue]
  const variable = variables.byName.get(name)
  if (variable === undefined)
    throw new CallFailure('variable_missing', `The variable ${name} has no value.`)
  if (variable.isSecret) usedSecrets.add(name)
  return variable.value
}

function buildUrl(
  template: string,
  inPath: readonly GivenParameter[],
  resolve: (reference: Reference) => string,
): URL {
  const values = new Map(inPath.map(({ parameter, value }) => [parameter.key, textOf(value)]))
  const url = addressOf(template, values, resolve)
  // A variable at the beginning may be a host without an end, such as https://api.
  const ofUser = inPath.filter(
    ({ parameter }) => namesIn(String(parameter.value), 'user').length > 0,
  )
  const like = addressOf(
    template,
    new Map([...values, ...ofUser.map(({ parameter }) => [parameter.key, 'x'] as const)]),
    (reference) => (reference.kind === 'user' ? 'x' : resolve(reference)),
  )
  if (url.origin !== like.origin)
    throw new CallFailure('address_refused', 'A claim of the user must not choose the host.')
  url.hash = ''
  return url
}

function addressOf(
  template: string,
  values: ReadonlyMap<string, string>,
  resolve: (reference: Reference) => string,
): URL {
  const [, base, rest = ''] = /^(\{\{[^{}]*\}\})?(.*)$/s.exec(template) ?? []
  // Keys are filled first, so that the values of variables are not read as keys.
  const keyed = fillPath(rest, (key) => segment(key, values.get(key) ?? ''))
  const [path = '', beyond = ''] = /^([^?#]*)(.*)$/s.exec(keyed)?.slice(1) ?? []
  const start = base === undefined ? '' : withoutEnd(fillTemplate(base, resolve), '/')
  const text =
    start +
    fillTemplate(path, (reference) => segmentOf(reference, resolve(reference))) +
    fillTemplate(beyond, (reference) => encodeURIComponent(resolve(reference)))
  if (!URL.canParse(text))
    throw new CallFailure('address_refused', 'The address of the action is not valid.')
  return new URL(text)
}

/** What visitors choose must not change the path; a variable is the editors' own. */
function segmentOf({ kind, name }: Reference, text: string): string {
  const isDots = text === '.' || text === '..'
  if (kind === 'user' || (kind === 'system' && isDots)) return segment(`${kind}.${name}`, text)
  return encodeURIComponent(text)
}

/** One segment of a path; `.` and `..` would change the path. */
function segment(key: string, text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new CallFailure('bad_arguments', `${key} must not be empty, "." or "..".`)
  return encodeURIComponent(text)
}

function queryTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)]
}

function headersOf(
  given: readonly (readonly [string, string])[],
  contentType: string | null,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.9, */*;q=0.1' }
  if (contentType !== null) headers['content-type'] = contentType
  for (const [name, value] of given) {
    if (!isHeaderValue(value))
      throw new CallFailure('bad_arguments', `The header ${name} accepts plain ASCII text only.`)
    headers[name.toLowerCase()] = value
  }
  return headers
}

/** A secret is sent to its hosts only, so it cannot be redirected by changing an action's URL. */
function requireHosts(used: ReadonlySet<string>, variables: OpenVariables, url: URL): void {
  for (const name of used) {
    const hosts = variables.byName.get(name)?.hosts ?? []
    if (isForHost(hosts, url)) continue
    const problem =
      hosts.length === 0
        ? `The secret ${name} names no host that may receive it. Set it again with its hosts.`
        : `The secret ${name} is not for ${url.host}.`
    throw new CallFailure('secret_not_for_host', problem)
  }
}

/** Headers that are sent to another host after a redirect, because they are no credentials. */
const carriedHeaders = ['accept', 'accept-language', 'content-type', 'user-agent']

/** Whether a redirect to another host takes no secret there, except one that is for that host. */
function mayRedirect(
  used: ReadonlySet<string>,
  { byName, mask }: OpenVariables,
  headers: ActionRequest['headers'],
  url: URL,
): boolean {
  if ([...used].every((name) => isForHost(byName.get(name)?.hosts ?? [], url))) return true
  const carried = [url.href, ...carriedHeaders.map((name) => headers[name] ?? '')].join('\n')
  return mask.text(carried) === carried
}
