import { inputJsonSchema } from '#operations/json-schema.ts'
import type { Operation } from '#operations/operation.ts'

/** Values for required fields that are not ids of records. A new operation may need another one. */
const plainValues: Readonly<Record<string, unknown>> = {
  start: 'Secret',
  end: 'Secret',
  name: 'Intruder',
  title: 'Intruder',
  text: 'Intruder',
  description: 'Intruder',
  method: 'GET',
  message: 'Intruder',
  kind: 'text',
  query: 'secret',
  csv: 'name,price_amount\nIntruder,1',
  url: 'https://example.com/intruder',
  version: 1,
  model: 'openai/intruder',
  plan: 'enterprise',
  provider: 'openai',
  role: 'editor',
  document: {},
  subject: 'workspace',
  period: 'day',
  credits: 0,
  rating: 'up',
  end_user: 'somebody',
  confirm_name: 'Intruder',
  required: false,
  email: 'intruder@example.com',
  app_ids: ['intruder-1'],
  folder: 'Intruder',
}

/** Additional or different values, by operation. */
const ownValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  add_knowledge_source: { title: 'Intruder', text: 'Intruder' },
  create_custom_action: { name: 'intruder' },
  set_app_variable: { name: 'INTRUDER', value: 'x' },
  allow_any_host: { name: 'INTRUDER', value: 'hidden' },
  delete_app_variable: { name: 'INTRUDER' },
  add_mcp_server: { name: 'intruder' },
}

/** The kinds of records that operations refer to. */
export const recordKinds = [
  'app_id',
  'session_id',
  'message_id',
  'source_id',
  'document_id',
  'product_id',
  'action_id',
  'server_id',
  'user_id',
  'order_id',
  'chat_key_id',
  'acp_key_id',
  'page_secret_id',
  'developer_key_id',
  'invitation_id',
  'endpoint_id',
  'delivery_id',
  'grant_id',
  'workspace_id',
  'deleted_workspace_id',
] as const
export type RecordKind = (typeof recordKinds)[number]
export type RecordIds = Readonly<Record<RecordKind, string>>

/** The kind of record that the field `id` refers to, by operation. */
const idKinds: Readonly<Record<string, RecordKind>> = {
  revoke_chat_key: 'chat_key_id',
  revoke_acp_key: 'acp_key_id',
  keep_key: 'chat_key_id',
  keep_page_secret: 'page_secret_id',
  delete_developer_key: 'developer_key_id',
  get_order: 'order_id',
  fulfill_order: 'order_id',
  refund_order: 'order_id',
  cancel_order: 'order_id',
  delete_webhook_endpoint: 'endpoint_id',
  redeliver_webhook: 'delivery_id',
  resend_invitation: 'invitation_id',
  revoke_invitation: 'invitation_id',
  revoke_connected_app: 'grant_id',
  restore_workspace: 'deleted_workspace_id',
}

/** Fields whose name differs from the kind of record. */
const fieldKinds: Readonly<Record<string, RecordKind>> = {
  to_workspace_id: 'workspace_id',
  // For the subject `agent`.
  subject_id: 'app_id',
}

/**
 * The required and optional fields of an operation that refer to records, with the kind of record.
 *
 * @throws Error for a field of a new operation that is not listed here
 */
export function recordsNamed({ name, input }: Operation): ReadonlyMap<string, RecordKind> {
  const fields = Object.keys(input.shape).filter(
    (field) => /(?:^|_)id$/.test(field) && field !== 'workspace_id',
  )
  return new Map(fields.map((field) => [field, kindOf(name, field)]))
}

function kindOf(operation: string, field: string): RecordKind {
  const named = field === 'id' ? idKinds[operation] : (fieldKinds[field] ?? field)
  const kind = recordKinds.find((one) => one === named)
  if (kind !== undefined) return kind
  throw new Error(
    `${operation} has the unknown reference ${field}: add it to test/support/operation-inputs.ts`,
  )
}

/** The smallest valid input of an operation, referring to those records. */
export function inputFor(
  operation: Operation,
  ids: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { required = [] } = inputJsonSchema(operation) as { required?: readonly string[] } // JSON Schema §6.5.3.
  const named = recordsNamed(operation)
  const entries = required.map((field) => {
    const value = ids[named.get(field) ?? field] ?? ids[field] ?? plainValues[field]
    if (value === undefined)
      throw new Error(
        `${operation.name} needs a value for ${field}: add it to test/support/operation-inputs.ts`,
      )
    return [field, value]
  })
  return { ...Object.fromEntries(entries), ...ownValues[operation.name] }
}
