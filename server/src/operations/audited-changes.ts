import { z } from 'zod'
import type { RecordRef } from '#features/audit/index.ts'

/** What is known of a change: where, by whom, with which input, and the id of what was made. */
export interface Change {
  readonly workspaceId: string
  readonly userId: string
  readonly input: Readonly<Record<string, unknown>>
  /** Null before the change, and for a change that makes nothing with an id. */
  readonly madeId: string | null
}

/** What the log keeps of an operation besides who ran it, and on what. */
interface Audited {
  /** The record that it changes, read before and after; null where it is not known yet. */
  readonly record?: (change: Change) => RecordRef | null
  /** Input fields to keep, where no record shows what was done. */
  readonly notes?: readonly string[]
  /** What to keep of a change that makes many records: of the result of its unit. */
  readonly made?: (made: unknown) => Readonly<Record<string, unknown>>
  /** The event is filed under the workspace that was made, not the one the person was in. */
  readonly isInMade?: true
}

const nothing: Audited = {}

/** The record with the id in this input field or, without a field, the id that was made. */
function byId(table: RecordRef['table'], field?: string): Audited {
  return {
    record: ({ workspaceId, input, madeId }) => {
      const id = (field === undefined ? undefined : text(input[field])) ?? madeId
      return id === null ? null : { table, where: { id, workspace_id: workspaceId } }
    },
  }
}

function ofAgent(table: RecordRef['table'], ...fields: readonly string[]): Audited {
  return {
    record: ({ workspaceId, input }) => ({
      table,
      where: {
        agent: text(input.app_id) ?? '',
        workspace_id: workspaceId,
        ...Object.fromEntries(fields.map((field) => [field, text(input[field]) ?? ''])),
      },
    }),
  }
}

/** An existing agent by what the input names it, a new one by the id it was given. */
const agent: Audited = {
  record: ({ workspaceId, input, madeId }) => {
    const id = madeId ?? text(input.app_id)
    return id === null ? null : { table: 'agents', where: { agent: id, workspace_id: workspaceId } }
  },
}

const membership: Audited = {
  record: ({ workspaceId, userId, input }) => ({
    table: 'memberships',
    where: { workspace_id: workspaceId, user_id: text(input.user_id) ?? userId },
  }),
}

const workspace: Audited = {
  record: ({ workspaceId }) => ({ table: 'workspaces', where: { id: workspaceId } }),
}

const cap: Audited = {
  record: ({ workspaceId, input }) => ({
    table: 'credit_caps',
    where: {
      workspace_id: workspaceId,
      subject: text(input.subject) ?? '',
      subject_id: text(input.subject_id) ?? '',
      period: text(input.period) ?? '',
    },
  }),
}

const provider: Audited = {
  record: ({ workspaceId, input }) => ({
    table: 'model_providers',
    where: { workspace_id: workspaceId, provider: text(input.provider) ?? '' },
  }),
}

const grant: Audited = {
  record: ({ userId, input }) => ({
    table: 'oauth_grants',
    where: { id: text(input.id) ?? '', user_id: userId },
  }),
}

const madeWorkspace: Audited = {
  record: ({ madeId }) => (madeId === null ? null : { table: 'workspaces', where: { id: madeId } }),
  isInMade: true,
}

/** A workspace named by a field, which the person may not be a member of (any more). */
function workspaceIn(field: string): Audited {
  return {
    record: ({ input }) => ({ table: 'workspaces', where: { id: text(input[field]) ?? '' } }),
  }
}

function noting(...notes: readonly string[]): Audited {
  return { notes }
}

const madeActions = z
  .object({ actions: z.array(z.object({ definition: z.object({ name: z.string() }) })) })
  .transform(({ actions }) => ({ made: actions.map(({ definition }) => definition.name) }))

const madeProducts = z.object({ created: z.int(), updated: z.int() })

/** Every operation that changes something; a test checks that none is missing. */
export const auditedChanges: Readonly<Record<string, Audited>> = {
  chat_with_app: nothing,
  create_app: agent,
  update_app: agent,
  delete_app: agent,
  rollback_app: agent,
  duplicate_app: { ...byId('agents'), notes: ['app_id', 'name'] },
  import_app: byId('agents'),
  add_knowledge_source: { ...byId('knowledge_sources'), notes: ['kind'] },
  refresh_knowledge_source: byId('knowledge_sources', 'source_id'),
  delete_knowledge_source: byId('knowledge_sources', 'source_id'),
  create_custom_action: byId('custom_actions'),
  update_custom_action: byId('custom_actions', 'action_id'),
  delete_custom_action: byId('custom_actions', 'action_id'),
  test_custom_action: nothing,
  import_custom_actions: {
    notes: ['url', 'dry_run'],
    made: (made) => madeActions.parse(made),
  },
  set_app_variable: ofAgent('agent_variables', 'name'),
  delete_app_variable: ofAgent('agent_variables', 'name'),
  add_mcp_server: byId('tool_servers'),
  remove_mcp_server: byId('tool_servers', 'server_id'),
  rate_answer: noting('message_id', 'rating'),
  erase_end_user: nothing,
  create_chat_key: byId('api_keys'),
  revoke_chat_key: byId('api_keys', 'id'),
  create_acp_key: byId('api_keys'),
  revoke_acp_key: byId('api_keys', 'id'),
  create_developer_key: byId('api_keys'),
  delete_developer_key: byId('api_keys', 'id'),
  upsert_product: byId('products', 'product_id'),
  delete_product: byId('products', 'product_id'),
  import_products: { notes: ['app_id'], made: (made) => madeProducts.parse(made) },
  update_commerce_settings: ofAgent('commerce_settings'),
  fulfill_order: { ...byId('orders', 'id'), notes: ['line_items', 'carrier', 'tracking_number'] },
  refund_order: { ...byId('orders', 'id'), notes: ['amount', 'reason'] },
  cancel_order: { ...byId('orders', 'id'), notes: ['reason'] },
  create_webhook_endpoint: byId('webhook_endpoints'),
  delete_webhook_endpoint: byId('webhook_endpoints', 'id'),
  redeliver_webhook: nothing,
  set_provider: provider,
  create_workspace: madeWorkspace,
  update_workspace: workspace,
  set_plan: workspace,
  delete_workspace: workspace,
  restore_workspace: { ...workspaceIn('id'), isInMade: true },
  change_member_role: membership,
  remove_member: membership,
  leave_workspace: membership,
  transfer_workspace: membership,
  invite_member: byId('invitations'),
  resend_invitation: byId('invitations', 'id'),
  revoke_invitation: byId('invitations', 'id'),
  set_credit_cap: cap,
  start_checkout: noting('plan', 'credits'),
  open_billing_portal: nothing,
  assign_plan: { ...workspaceIn('to_workspace_id'), notes: ['to_workspace_id', 'plan'] },
  grant_credits: noting('to_workspace_id', 'credits', 'note'),
  set_model_price: noting(
    'model',
    'prompt_credits',
    'completion_credits',
    'call_credits',
    'remove',
    'valid_from',
  ),
  revoke_connected_app: grant,
}

/** What the log keeps of an operation. */
export function auditedChange(name: string): Audited {
  return auditedChanges[name] ?? nothing
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
