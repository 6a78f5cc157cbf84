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

/** Fields by which an operation names a record. */
export const recordFields = [
  'app_id',
  'id',
  'session_id',
  'source_id',
  'product_id',
  'action_id',
  'server_id',
  'user_id',
  'invitation_id',
] as const

/** Operations whose `id` is that of an invitation. */
const onInvitation = ['resend_invitation', 'revoke_invitation']

/** The least input that an operation takes, naming those records. */
export function inputFor(
  operation: Operation,
  ids: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { required = [] } = inputJsonSchema(operation) as { required?: readonly string[] } // JSON Schema §6.5.3.
  const entries = required.map((field) => {
    const isInvitation = field === 'id' && onInvitation.includes(operation.name)
    const value = ids[isInvitation ? 'invitation_id' : field] ?? plainValues[field]
    if (value === undefined)
      throw new Error(
        `${operation.name} needs a value for ${field}: test/support/operation-inputs.ts`,
      )
    return [field, value]
  })
  return { ...Object.fromEntries(entries), ...ownValues[operation.name] }
}
