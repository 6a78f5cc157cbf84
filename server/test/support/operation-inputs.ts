import { inputJsonSchema } from '#operations/json-schema.ts'
import type { Operation } from '#operations/operation.ts'

/** Values for required fields that name no record; a new operation may need one more here. */
const plainValues: Readonly<Record<string, unknown>> = {
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
}

/** Where one operation needs more, or other, values than the rest. */
const ownValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  add_knowledge_source: { title: 'Intruder', text: 'Intruder' },
  create_custom_action: { name: 'intruder' },
  set_app_variable: { name: 'INTRUDER', value: 'x' },
  delete_app_variable: { name: 'INTRUDER' },
  add_mcp_server: { name: 'intruder' },
}

/** Kinds of records that operations name. */
export const recordKinds = [
  'app_id',
  'session_id',
  'message_id',
  'source_id',
  'product_id',
  'action_id',
  'server_id',
  'user_id',
  'order_id',
  'chat_key_id',
  'acp_key_id',
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

/** What the field `id` names, by operation. */
const idKinds: Readonly<Record<string, RecordKind>> = {
  revoke_chat_key: 'chat_key_id',
  revoke_acp_key: 'acp_key_id',
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

/** Fields that are not called as what they name. */
const fieldKinds: Readonly<Record<string, RecordKind>> = {
  to_workspace_id: 'workspace_id',
  // Of the subject `agent`.
  subject_id: 'app_id',
}

/**
 * The fields by which an operation names records, whether it must or may, and what they name.
 *
 * @throws Error for a field of a new operation that nobody has thought of
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
  throw new Error(`${operation} names something by ${field}: test/support/operation-inputs.ts`)
}

/** The least input that an operation takes, naming those records. */
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
        `${operation.name} needs a value for ${field}: test/support/operation-inputs.ts`,
      )
    return [field, value]
  })
  return { ...Object.fromEntries(entries), ...ownValues[operation.name] }
}
