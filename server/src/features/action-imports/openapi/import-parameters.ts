import type { ActionParameter } from '#features/actions/index.ts'
import { asFields, asList, asText, type Fields, type OpenApiDocument } from './openapi-document.ts'
import { importFields, importSchema, maxFields, type ImportedValue } from './openapi-schema.ts'

/**
 * The parameters of an operation. Its own replace those of its path (OpenAPI 3.1 §4.8.10). A part of
 * the path without a description is a parameter too.
 */
export function importParameters(
  document: OpenApiDocument,
  path: string,
  shared: Fields,
  operation: Fields,
): ActionParameter[] {
  const found = new Map<string, ActionParameter[]>()
  const inPath = keysIn(path).slice(0, maxFields)
  const listed = [shared, operation].flatMap(({ parameters }) =>
    asList(parameters).slice(0, maxListed),
  )
  for (const one of listed) {
    const fields = document.resolve(one)
    const place = asText(fields.in)
    const key = asText(fields.name)
    if (place !== 'path' && place !== 'query' && place !== 'header') continue
    if (place === 'path' && !inPath.includes(key)) continue
    // OpenAPI 3.1 §4.8.12: these headers are described elsewhere.
    if (place === 'header' && /^(accept|content-type|authorization)$/i.test(key)) continue
    found.set(`${place} ${key}`, importStyled(document, place, key, fields))
  }
  for (const key of inPath)
    if (!found.has(`path ${key}`))
      found.set(`path ${key}`, [importParameter(document, 'path', key, {})])
  // A field of an object may have the name of another parameter.
  const all = [...found.values()].flat()
  return [...new Map(all.map((one) => [`${one.in} ${one.key}`, one])).values()]
}

/** Parameters read of each list: more than an operation has. */
const maxListed = 200

function keysIn(path: string): string[] {
  return [...path.slice(0, 10_000).matchAll(/\{([^{}]+)\}/g)].map(([, key = '']) => key)
}

/** The separators of lists that are sent as one text (OpenAPI 3.1 §4.8.12.3). */
const separators: Readonly<Record<string, string>> = {
  form: 'commas',
  simple: 'commas',
  spaceDelimited: 'spaces',
  pipeDelimited: '|',
}

/**
 * A parameter in its style: a list that is sent as one text is a text, and the fields of an object
 * that are sent separately are parameters of their own.
 */
function importStyled(
  document: OpenApiDocument,
  place: 'path' | 'query' | 'header',
  key: string,
  fields: Fields,
): ActionParameter[] {
  const whole = importParameter(document, place, key, fields)
  // With a media type, the value is sent as JSON.
  if (fields.content !== undefined) return [whole]
  const style = asText(fields.style) || (place === 'query' ? 'form' : 'simple')
  const isExploded = fields.explode === undefined ? style === 'form' : fields.explode === true
  const value = importSchema(document, fields.schema ?? {})
  if (value.type === 'array' && (place !== 'query' || !isExploded))
    return [listAsText(whole, value, separators[style] ?? 'commas')]
  if (value.type !== 'object' || place !== 'query') return [whole]
  if (style !== 'deepObject' && !isExploded) return [whole]
  const parts = importFields(document, fields.schema)
  if (parts.length === 0) return [whole]
  return parts.map(({ name, schema, isRequired }) =>
    importParameter(document, place, style === 'deepObject' ? `${key}[${name}]` : name, {
      schema,
      required: isRequired && fields.required === true,
    }),
  )
}

function listAsText(
  whole: ActionParameter,
  { schema }: ImportedValue,
  separator: string,
): ActionParameter {
  const { schema: _, ...parameter } = whole
  const choices = asList(asFields(schema?.items)?.enum).slice(0, maxListed).map(String)
  const instructions = [
    parameter.instructions,
    choices.length === 0 ? '' : `Any of: ${choices.join(', ')}.`,
    `Several are separated by ${separator}.`,
  ]
  return {
    ...parameter,
    type: 'string',
    instructions: instructions.filter(Boolean).join(' ').slice(0, 2000),
  }
}

export function importParameter(
  document: OpenApiDocument,
  place: ActionParameter['in'],
  key: string,
  { schema, content, description, required }: Fields,
): ActionParameter {
  const [media] = Object.values(asFields(content) ?? {})
  const value = importSchema(document, schema ?? asFields(media)?.schema ?? {})
  const isNested = value.type === 'object' || value.type === 'array'
  return {
    in: place,
    key,
    // A path parameter can only be a text.
    type: place === 'path' && isNested ? 'string' : value.type,
    source: 'ai',
    required: required === true || place === 'path',
    instructions: [asText(description), value.note].filter(Boolean).join(' ').slice(0, 1000),
    ...(value.schema === undefined || (place === 'path' && isNested)
      ? {}
      : { schema: value.schema }),
  }
}
