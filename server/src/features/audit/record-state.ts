import { createHash } from 'node:crypto'
import { maskAddress } from '#kernel/mask-address.ts'
import type { Reader } from '#platform/db/database.ts'
import { findRecordRow, type RecordRef } from './store.ts'

/** The fields of a record. Secrets are masked before they are logged. */
type RecordState = Readonly<Record<string, unknown>>

/** The fields that a change changed. */
export interface Changes {
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** A step: reads the current record; null if there is none. */
export async function readRecordState(
  reader: Reader,
  ref: RecordRef | null,
): Promise<RecordState | null> {
  const row = ref === null ? undefined : await findRecordRow(reader, ref)
  return row === undefined ? null : stateOf(row)
}

/** Columns that store a secret or its hash. */
const sealedColumn = /(?:_sealed|hash|token)$/
/** Times of a change, which do not describe it. */
const ignoredColumns = new Set([
  'created_at',
  'updated_at',
  'last_used_at',
  'last_used_address',
  'last_used_agent',
])

function stateOf(row: Readonly<Record<string, unknown>>): RecordState {
  const fields: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    if (ignoredColumns.has(column)) continue
    if (sealedColumn.test(column)) fields[column] = fingerprint(value)
    else if (column.endsWith('_json')) Object.assign(fields, parts(column.slice(0, -5), value))
    else fields[column] = value
  }
  return fields
}

/** A field for each part of a document, so that only the changed part is logged. */
function parts(name: string, text: unknown): Record<string, unknown> {
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [name]: value }
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [`${name}.${key}`, part] as const),
  )
}

/** A secret, kept only to compare two states; it is never shown. */
class Fingerprint {
  readonly of: string
  constructor(of: string) {
    this.of = of
  }
}

function fingerprint(value: unknown): Fingerprint | null {
  return value === null || value === undefined ? null : new Fingerprint(String(value))
}

/** The fields that differ; all fields of a created or deleted record. */
export function changesBetween(before: RecordState | null, after: RecordState | null): Changes {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const changed = names.filter((name) => !isSame(before?.[name], after?.[name]))
  return {
    before: before === null ? null : shown(before, changed, 'a secret'),
    after: after === null ? null : shown(after, changed, 'another secret'),
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

/** Longer values are left out: the log shows changes, not copies of documents. */
const maxCharacters = 16_384
const maxTextLength = 500

function shown(state: RecordState, names: readonly string[], secret: string): RecordState {
  const fields: Record<string, unknown> = {}
  let left = maxCharacters
  for (const name of names) {
    const value = name in state ? showable(name, state[name], secret) : null
    const size = name.length + JSON.stringify(value ?? null).length
    fields[name] = size <= left ? value : '[left out: too long]'
    left -= Math.min(left, size)
  }
  return fields
}

/** Field names whose values may be secret. */
const secretName =
  /secret|password|passwd|passphrase|\bpwd\b|token(?!s)|(?:api|access)[-_]?key|[-_]key$|\bauth(?:$|[-_])|authorization|credential|cookie|private/i

function showable(name: string, value: unknown, secret: string): unknown {
  if (value instanceof Fingerprint) return `[${secret}]`
  if (typeof value === 'string') return shownText(name, value, `[${secret}]`)
  if (typeof value !== 'object' || value === null) return value
  if (isSecretPair(value)) return { ...value, value: `[${secret}]` }
  if (Array.isArray(value)) return value.map((item) => showable(name, item, secret))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, showable(key, item, secret)]),
  )
}

/** Of a webhook, an MCP server or a chat page: any part of its query may be a credential. */
const addressName = /^(?:url|settings\.\w+_url)$/

function shownText(name: string, text: string, secret: string): string {
  if (secretName.test(name)) return secret
  return addressName.test(name) ? maskAddress(shortened(text), secret) : shortened(text)
}

/** A header, such as `{name: 'Authorization', value: …}`. */
function isSecretPair(value: object): value is { readonly value: string } {
  const label = 'name' in value ? value.name : 'key' in value ? value.key : null
  return typeof label === 'string' && secretName.test(label) && 'value' in value
}

function shortened(text: string): string {
  const masked = text
    .replace(/^(\w+:\/\/)[^/@\s]+@/, '$1[a secret]@')
    .replace(secretQuery, '$1[a secret]')
    .replace(secretInText, '$1[a secret]')
  if (masked.length <= maxTextLength) return masked
  const sha256 = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return `${masked.slice(0, maxTextLength)}… (${text.length} characters, sha256 ${sha256})`
}

const secretWords =
  'secret|password|passwd|passphrase|\\bpwd|token|(?:api|access)[-_]?key|authorization'
/** Matches `"password": "…"`, `token=…` and `Authorization: Bearer …`, but not `{{a placeholder}}`. */
const secretInText = new RegExp(
  `((?:${secretWords})["']?\\s*[:=]\\s*)(?!\\[a secret)` +
    `(?:"(?!{{)(?:\\\\.|[^"\\\\])*"|'(?!{{)[^']*'|(?:(?:bearer|basic)\\s+)?[^"'\\s&,;{}]+)`,
  'gi',
)
const secretQuery = /([?&][^=&\s]*(?:secret|password|token|key|signature|sig)[^=&\s]*=)[^&\s]+/gi

/** The named fields of an input, with secrets masked. */
export function noted(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): RecordState {
  return shown(
    input,
    names.filter((name) => input[name] !== undefined),
    'a secret',
  )
}
