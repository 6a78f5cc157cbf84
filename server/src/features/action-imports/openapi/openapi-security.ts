import type { ActionParameter } from '#features/actions/index.ts'
import { variableNameFrom } from '#features/variables/index.ts'
import { asFields, asList, asText, type Fields, type OpenApiDocument } from './openapi-document.ts'

/** A credential that imported actions need. Documents do not contain it. */
export interface NeededVariable {
  readonly name: string
  readonly about: string
}

export interface ImportedSecurity {
  readonly headers: Readonly<Record<string, string>>
  readonly parameters: readonly ActionParameter[]
  readonly needed: readonly NeededVariable[]
}

/** Schemes of one operation, and the length of a name. Documents written by people stay below. */
const maxSchemes = 20
const maxNameLength = 200

/** The first of the security schemes that an operation accepts, with variables for credentials. */
export function importSecurity(document: OpenApiDocument, operation: Fields): ImportedSecurity {
  const [first] = asList(operation.security ?? document.root.security)
  const components = asFields(document.root.components) ?? {}
  const schemes = asFields(components.securitySchemes) ?? {}
  const names = Object.keys(asFields(first) ?? {}).slice(0, maxSchemes)
  const all = names.map((name) =>
    importScheme(name.slice(0, maxNameLength), document.resolve(schemes[name])),
  )
  return {
    headers: Object.assign({}, ...all.map(({ headers }) => headers)) as Record<string, string>, // Each is one.
    parameters: all.flatMap(({ parameters }) => parameters),
    needed: all.flatMap(({ needed }) => needed),
  }
}

const nothing: ImportedSecurity = { headers: {}, parameters: [], needed: [] }

function importScheme(scheme: string, fields: Fields): ImportedSecurity {
  const variable = variableNameFrom(scheme)
  const about = asText(fields.description).slice(0, 300)
  const kind = `${asText(fields.type)} ${asText(fields.scheme).toLowerCase()}`.trim()
  switch (kind) {
    case 'http basic':
      return inHeader('authorization', 'Basic', variable, `base64 of user:password. ${about}`)
    case 'http bearer':
    case 'oauth2':
    case 'openIdConnect':
      return inHeader('authorization', 'Bearer', variable, about || 'Access token')
  }
  if (fields.type !== 'apiKey') return nothing
  const key = asText(fields.name)
  if (fields.in === 'header') return inHeader(key, '', variable, about || 'API key')
  if (fields.in === 'cookie')
    return inHeader('cookie', `${key}=`, variable, about || 'Value of the cookie')
  const parameter: ActionParameter = {
    in: 'query',
    key,
    type: 'string',
    source: 'variable',
    required: true,
    value: variable,
    instructions: '',
  }
  return { ...nothing, parameters: [parameter], needed: [{ name: variable, about }] }
}

function inHeader(header: string, before: string, name: string, about: string): ImportedSecurity {
  const space = before === '' || before.endsWith('=') ? '' : ' '
  const value = `${before}${space}{{var.${name}}}`
  return { headers: { [header]: value }, parameters: [], needed: [{ name, about: about.trim() }] }
}
