import { variableName } from '#features/variables/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isHeaderName, isHeaderValue } from '#kernel/http-header.ts'
import { isObject, parseJson } from '#kernel/json.ts'
import { actionFaults } from './action-faults.ts'
import {
  systemValues,
  type ActionDefinition,
  type ActionParameter,
  type ValueType,
} from './request/action-definition.ts'
import { schemaProblem } from './request/argument-schema.ts'
import { parseResponsePath } from './request/response-path.ts'
import { namesIn, pathKeysIn, referencesIn } from './request/template.ts'

/**
 * Checks that the fields, each of which is valid, fit together.
 *
 * @throws Fault action_invalid
 */
export function checkDefinition(definition: ActionDefinition): void {
  const issues = [
    ...urlIssues(definition),
    ...definition.parameters.flatMap((parameter, index) =>
      parameterIssues(parameter).map((issue) => `parameters.${index} (${parameter.key}): ${issue}`),
    ),
    ...duplicateIssues(definition.parameters),
    ...headerIssues(definition),
    ...bodyIssues(definition),
    ...referenceIssues(definition),
    ...pathIssue(definition.response_path),
  ]
  if (issues.length > 0) throw new Fault(actionFaults.action_invalid, { issues })
}

function urlIssues({ url, parameters }: ActionDefinition): string[] {
  const issues: string[] = []
  // A variable may replace the scheme and host at the beginning, or a part of the rest.
  const sample = url
    .replace(/^\{\{\s*var\.\w+\s*\}\}/, 'https://host.invalid')
    .replace(/\{\{[^{}]*\}\}|\{[^{}]*\}/g, 'x')
  const parsed = URL.canParse(sample) ? new URL(sample) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    issues.push('url: must be an http(s) address')
  else if (parsed.username !== '' || parsed.password !== '')
    issues.push('url: must not contain a user or password; send them in a header')
  if (/^[a-z]+:\/\/[^/?#]*\{/i.test(url.replace(/\{\{[^{}]*\}\}/g, '')))
    issues.push('url: a path parameter must not be part of the host')
  if (/^(?:[a-z]+:\/\/|\{\{\s*var\.)[^/?#]*\{\{\s*user\./i.test(url))
    issues.push('url: a claim of the user must not be part of the host')
  const inUrl = new Set(pathKeysIn(url))
  const inPath = parameters.filter(({ in: place }) => place === 'path').map(({ key }) => key)
  for (const key of inUrl)
    if (!inPath.includes(key)) issues.push(`url: {${key}} has no parameter in path`)
  for (const key of inPath)
    if (!inUrl.has(key)) issues.push(`parameters: path parameter ${key} is not in the url`)
  return issues
}

function parameterIssues(parameter: ActionParameter): string[] {
  const { source, type, value, schema, in: place, key } = parameter
  const issues: string[] = []
  if (place === 'header' && !isHeaderName(key)) issues.push('is not a valid header name')
  if (place === 'path' && (type === 'object' || type === 'array'))
    issues.push('a path parameter cannot be an object or an array')
  if (schema !== undefined) {
    const problem = schemaProblem(schema)
    if (source !== 'ai') issues.push('only an ai parameter can have a schema')
    else if (problem !== null) issues.push(`schema: ${problem}`)
  }
  if (source === 'ai' && value !== undefined)
    issues.push('value: leave it out; the model provides it')
  if (source === 'fixed' && !isOfType(value, type)) issues.push(`value: must be of type ${type}`)
  if (source === 'variable' && !isVariableName(value))
    issues.push('value: must be the name of a variable')
  if (source === 'system' && !isSystemValue(value))
    issues.push(`value: must be one of ${systemValues.join(', ')}`)
  return issues
}

function duplicateIssues(parameters: readonly ActionParameter[]): string[] {
  const seen = new Set<string>()
  return parameters.flatMap(({ in: place, key }) => {
    const id = `${place} ${place === 'header' ? key.toLowerCase() : key}`
    if (seen.has(id)) return [`parameters: ${id} occurs twice`]
    seen.add(id)
    return []
  })
}

function headerIssues({ headers }: ActionDefinition): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [
    ...(isHeaderName(name) ? [] : [`headers: ${name} is not a valid header name`]),
    ...(isHeaderValue(value) ? [] : [`headers: the value of ${name} is not a valid header value`]),
  ])
}

function bodyIssues({ method, parameters, ...body }: ActionDefinition): string[] {
  const template = body.body_template
  const keys = parameters.filter(({ in: place }) => place === 'body').map(({ key }) => key)
  if (method === 'GET' && (keys.length > 0 || template !== null))
    return ['a GET request has no body']
  if (template === null)
    return body.body_type === 'text' && keys.length > 0
      ? ['body_template: a text body with parameters needs one']
      : []
  if (body.body_type === 'form') return ['body_template: a form consists of its parameters only']
  if (body.body_type === 'json' && parseJson(template) === undefined)
    return ['body_template: must be JSON']
  const names = namesIn(template, 'parameter')
  return [
    ...names.filter((name) => !keys.includes(name)).map((name) => `body_template: {{${name}}} has no parameter in body`), // prettier-ignore
    ...keys
      .filter((key) => !names.includes(key))
      .map((key) => `body_template: the parameter ${key} is not used`),
  ]
}

/** Only a body template can refer to parameters; other fields refer to variables and system values. */
function referenceIssues({ url, headers, parameters, body_template }: ActionDefinition): string[] {
  const fixed = parameters.filter(({ source }) => source === 'fixed')
  // A fixed parameter without a value has no JSON text; that it needs one is an issue of its own.
  const values = fixed.map(({ value = null }) => JSON.stringify(value))
  const texts = [url, ...Object.values(headers), ...values]
  const everywhere = [...texts, body_template ?? ''].flatMap(referencesIn)
  const outside = texts.flatMap(referencesIn).filter(({ kind }) => kind === 'parameter')
  return [
    ...outside.map(
      ({ name }) => `{{${name}}}: write {{var.NAME}}, {{system.name}} or {{user.name}}`,
    ),
    ...everywhere.flatMap(({ kind, name }) => {
      if (kind === 'variable' && !isVariableName(name))
        return [`{{var.${name}}} is not a variable name`]
      if (kind === 'system' && !isSystemValue(name))
        return [`{{system.${name}}}: must be one of ${systemValues.join(', ')}`]
      return []
    }),
  ]
}

function pathIssue(path: string | null): string[] {
  if (path === null || parseResponsePath(path) !== null) return []
  return ['response_path: must look like data.items[0].name, or items[*].name']
}

function isOfType(value: unknown, type: ValueType): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

function isVariableName(value: unknown): boolean {
  return variableName.safeParse(value).success
}

function isSystemValue(value: unknown): boolean {
  return systemValues.some((name) => name === value)
}
