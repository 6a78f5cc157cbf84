import { z } from 'zod'
import { readHosts } from './secret-hosts.ts'
import type { VariableRow } from './variable-store.ts'

export const variableKinds = ['string', 'number', 'boolean', 'url', 'secret'] as const
export type VariableKind = (typeof variableKinds)[number]

export const variableName = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9_]{0,119}$/,
    'must begin with a capital letter and hold capital letters, digits and _',
  )

/** Derives a variable's name from any text: `X-Api-Key` becomes `X_API_KEY`. */
export function variableNameFrom(text: string): string {
  const snake = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
  return /^[A-Z]/.test(snake) ? snake : `V_${snake}`
}

/** A value that an agent's actions use as `{{var.NAME}}`. */
export interface Variable {
  readonly name: string
  readonly kind: VariableKind
  readonly description: string
  /** Null for a secret, which is never shown again. */
  readonly value: string | number | boolean | null
  /** The only hosts that a secret is sent to, or `anyHost`; null for other variables. */
  readonly hosts: readonly string[] | null
  readonly createdAt: number
  readonly updatedAt: number
}

export function variableFromRow(row: VariableRow): Variable {
  return {
    name: row.name,
    kind: kindFromRow(row.kind),
    description: row.description,
    value: row.value_json === null ? null : readValue(row.value_json),
    hosts: row.kind === 'secret' ? readHosts(row.hosts_json) : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function readValue(json: string): string | number | boolean {
  // Only this feature writes it, from such a value.
  return JSON.parse(json) as string | number | boolean
}

function kindFromRow(kind: string): VariableKind {
  const known = variableKinds.find((name) => name === kind)
  if (known !== undefined) return known
  throw new Error(`Unknown kind of variable in the database: ${kind}`)
}
