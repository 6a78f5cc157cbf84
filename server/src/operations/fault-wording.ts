import type { importFaults } from '#features/action-imports/index.ts'
import type { actionFaults } from '#features/actions/index.ts'
import type { transferFaults } from '#features/agent-transfer/index.ts'
import type { agentFaults } from '#features/agents/index.ts'
import type { analyticsFaults } from '#features/analytics/index.ts'
import type { addressFaults, apiKeyFaults } from '#features/api-keys/index.ts'
import type { catalogFaults } from '#features/catalog/index.ts'
import type { testOrderFaults } from '#features/checkout/index.ts'
import type { creditFaults } from '#features/credits/index.ts'
import type { credentialFaults } from '#features/credentials/index.ts'
import type { identityFaults } from '#features/identity/index.ts'
import type { memberFaults } from '#features/members/index.ts'
import type { orderFaults } from '#features/orders/index.ts'
import type { paymentFaults } from '#features/payments/index.ts'
import type { providerFaults } from '#features/providers/index.ts'
import type { quotaFaults } from '#features/quotas/index.ts'
import type { reachFaults } from '#features/reach/index.ts'
import type { secondFactorFaults } from '#features/second-factors/index.ts'
import type { subscriptionFaults } from '#features/subscriptions/index.ts'
import type { toolServerFaults } from '#features/tool-servers/index.ts'
import type { turnFaults } from '#features/turns/index.ts'
import type { variableFaults } from '#features/variables/index.ts'
import type { visitorFaults } from '#features/visitors/index.ts'
import type { webhookFaults } from '#features/webhooks/index.ts'
import type { workspaceFaults } from '#features/workspaces/index.ts'
import { say, type Without, type Words, type WordsByCode } from '#kernel/fault-table.ts'
import type { commonFaults, Fault, FaultKind } from '#kernel/fault.ts'
import { counted, limitWords } from './limit-words.ts'
import { sourceWords, type SourceFaults } from './knowledge/source-fault-wording.ts'

/** A sentence for every kind. It answers the codes that `WordedFaults` leaves out. */
const byKind: Record<FaultKind, string> = {
  invalid: 'The input is not valid.',
  unauthenticated: 'Sign in first.',
  expired: 'This has expired.',
  forbidden: 'You are not allowed to do this here.',
  not_found: 'There is no such record, or you do not have access to it.',
  conflict: 'The record has changed since you read it. Read it again, then repeat the change.',
  limited: 'A limit was reached. Try again later.',
  too_large: 'This is too large.',
  unavailable: 'A service that this depends on does not respond. Try again.',
  internal: 'Something went wrong on our side. The log has the details.',
}

/** The faults of operations and commands, without those that only a surface throws. */
type WordedFaults = Without<
  typeof commonFaults,
  'unique_violation' | 'database_unavailable' | 'caller_left'
> &
  typeof quotaFaults &
  typeof credentialFaults &
  typeof workspaceFaults &
  Pick<typeof secondFactorFaults, 'second_factor_required'> &
  typeof agentFaults &
  typeof providerFaults &
  typeof apiKeyFaults &
  Without<typeof addressFaults, 'key_address_refused'> &
  typeof reachFaults &
  SourceFaults &
  Pick<typeof visitorFaults, 'domains_limited'> &
  typeof transferFaults &
  typeof analyticsFaults &
  Without<typeof turnFaults, ChatFault> &
  Without<typeof catalogFaults, 'shop_not_found'> &
  Without<typeof orderFaults, 'order_not_found'> &
  typeof paymentFaults &
  typeof testOrderFaults &
  typeof webhookFaults &
  typeof actionFaults &
  typeof variableFaults &
  typeof importFaults &
  typeof toolServerFaults &
  typeof creditFaults &
  typeof subscriptionFaults &
  Without<typeof memberFaults, 'invitation_for_another'> &
  Without<typeof identityFaults, SignInFault>

type ChatFault =
  | 'field_forbidden'
  | 'field_out_of_bounds'
  | 'field_not_supported'
  | 'schema_unchecked'
  | 'tool_name_taken'
  | 'answer_not_in_format'
  | 'key_missing'
  | 'key_unknown'
  | 'key_of_other_agent'
  | 'plan_not_paid'
  | 'agent_unknown'
  | 'images_not_supported'
  | 'audio_not_supported'
  | 'files_not_supported'
  | 'session_moved_on'

type SignInFault =
  | 'credentials_wrong'
  | 'guesses_limited'
  | 'not_signed_in'
  | 'second_step_expired'
  | 'setup_link_invalid'
  | 'person_unknown'
  | 'person_replaced'
  | 'email_unverified'
  | 'passwords_off'
  | 'logout_token_used'
  | 'person_disabled'
  | 'mail_not_configured'
  | 'letters_limited'
  | 'email_link_invalid'
  | 'email_unchanged'
  | 'no_workspace'

/** Each sentence names the next step where there is one. */
const byCode: WordsByCode<WordedFaults> = {
  credential_ended: 'Authentication required: the session, key or grant of this request has ended.',
  invalid_input: ({ issues }) => `The input is not valid: ${issues.join('; ')}.`,
  overloaded: 'The service has too much to do. Try again in a moment.',
  write_conflict: 'Too many changes of the same data happen at the same time. Try again.',
  record_not_found:
    'There is no such record, or you do not have access to it. The matching list operation shows the ids.',
  read_timed_out: ({ seconds }) =>
    `This took longer than ${seconds} s and was stopped. Narrow it: choose a shorter time range, or fewer or rarer filters and words.`,
  reads_busy: 'Too many lists and figures of this workspace are being read. Try again in a moment.',
  scope_missing: ({ scope }) => `Scope not authorized: this needs ${scope}.`,
  credential_bound:
    'This key or application is bound to some workspaces or agents, and this needs more than these. whoami shows them; a person can create a key with a wider reach.',
  reach_unknown:
    'One of the workspaces or agents does not exist, or you are not a member of its workspace.',
  reach_misses_workspace:
    'A key must reach something in the workspace that it is created in. Add the workspace or one of its agents, or create the key in another workspace.',
  permission_denied: ({ needs, role, fields }) => {
    if (fields !== undefined) return `Only people can set ${fields}, in the dashboard.`
    return needs === undefined || role === undefined
      ? 'You are not allowed to do this here.'
      : `Your role here is ${role}; this needs ${needs}. Ask ${needs === 'owner' ? 'an owner' : 'an owner or admin'}.`
  },
  plan_limit_reached: ({ resource, allowed, plan }) =>
    `The ${plan} plan allows ${counted(allowed, resource)}. Remove one, or move to a larger plan.`,
  limit_reached: ({ per, ...facts }) =>
    `The limit of ${limitWords(facts)} per ${per} is reached. Delete some, or ask the operator to raise ${facts.limit} in LIMITS.`,
  domains_limited: ({ limit, retryAfterSeconds }) =>
    `A workspace can enter ${limit} domains in a day. Try again in ${hours(retryAfterSeconds)}.`,
  version_conflict: ({ expected, actual }) =>
    `The agent is at version ${actual}, not ${expected}: someone changed it. Read it with get_app, then repeat the change with the new expected_version.`,
  version_not_found: ({ version, latest }) =>
    `There is no version ${version}; the latest is ${latest}. list_app_versions shows them all.`,
  draft_conflict:
    'Someone changed or ended the draft. Read it with get_app, then repeat the change.',
  draft_missing: 'The agent has no draft: every change is published.',
  nothing_to_change: 'No field to change was given. Name at least one.',
  model_unknown: ({ model }) =>
    `There is no model ${model} here. Give <provider>/<name>; list_models shows the models.`,
  provider_fixed: ({ provider }) =>
    `${provider} is part of Parley and has no settings. Name another provider.`,
  provider_address_required: ({ provider }) =>
    `${provider} is a custom provider: give its base_url too.`,
  provider_address_invalid:
    'base_url must be an http(s) address without user, password, query or fragment. Put a key into api_key.',
  address_block_invalid: ({ block }) =>
    `${block} is not an address or a network. Give one such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.`,
  key_expiry_invalid: 'Give either expires_in or expires_at; expires_at must be a future time.',
  ...sourceWords,
  document_invalid: ({ issues }) => `Nothing was imported. In the document: ${issues.join('; ')}.`,
  document_too_new: ({ version, known }) =>
    `The document has version ${version}; this Parley reads versions up to ${known}. Update this Parley, or export the document from an older one.`,
  document_too_large: ({ bytes, limit_bytes }) =>
    `The document is ${bytes} bytes long; the limit is ${limit_bytes}. Export it without knowledge, or raise MAX_IMPORT_BYTES.`,
  knowledge_too_large: ({ limit_bytes }) =>
    `With its knowledge the document would be longer than ${limit_bytes} bytes. Leave include_knowledge out, or raise MAX_IMPORT_BYTES.`,
  too_many_products: ({ allowed }) =>
    `An export can hold ${allowed} products, and this agent has more. Delete some first.`,
  range_invalid: ({ most_days }) =>
    `from must not be after to, the range at most ${most_days} days long, and both within the years 1 to 9999.`,
  time_zone_unknown: ({ time_zone }) =>
    `There is no time zone ${time_zone}. Give a name such as Europe/Berlin.`,
  nothing_to_rate: 'The conversation has no answer yet.',
  agent_rate_limited: ({ limit }) =>
    `The rate limit of this agent is reached (${limit} a minute). Wait a minute, then try again.`,
  turns_limited: ({ limit }) =>
    `The agents of this workspace have answered ${limit} messages in a day, which is its limit. Try again later.`,
  changes_limited: ({ limit }) =>
    `This workspace has made ${limit} changes in a day, which is its limit. Try again later; what removes something still works.`,
  session_unknown:
    'This conversation belongs to another agent. list_conversations shows the conversations of this one; leave session_id out to start a new one.',
  session_queue_full:
    'Too many messages are waiting in this conversation. Try again when some are answered.',
  turn_aborted: 'The answer was cut short. Try again.',
  model_invalid: ({ model }) =>
    `${model} is not a valid model id. Give the agent another model with update_app; list_models shows the models.`,
  model_not_configured: ({ provider }) =>
    `No access to ${provider} is set up. A person can set it up with set_provider, or give the agent another model with update_app; list_models shows the models.`,
  model_unreachable: 'The model provider could not be reached. Try again.',
  model_rejected: 'The model provider rejected the key. A person can change it with set_provider.',
  model_bad_answer: 'The model provider returned no usable answer. Try again.',
  model_refused_request: 'The model provider refused the request. Check the model of the agent.',
  model_timeout: 'The model provider took too long to answer. Try again.',
  model_slots_busy: 'Too many answers of this workspace are running. Try again in a few seconds.',
  model_limited: 'The model provider is over its rate limit. Try again later.',
  sku_taken: ({ sku }) =>
    `Another product has the sku ${sku}. Change that product, or give this one another sku.`,
  product_field_missing: ({ field }) =>
    `A new product needs ${field}. To change an existing product, give its product_id.`,
  commerce_settings_changed:
    'Someone changed the commerce settings. Read them with get_commerce_settings, then repeat the change with the new revision.',
  products_changed:
    'Nothing was imported: other changes of the same products came first each time. Try again when they are done, or import at most 20 products at a time.',
  csv_invalid: ({ lines }) => `Nothing was imported: ${lines.join('; ')}.`,
  test_order_refused: ({ reason }) => `No test order was placed: ${reason}.`,
  order_canceled: 'The order is canceled.',
  order_already_fulfilled:
    'Part of the order has been sent, so it cannot be canceled. Refund it with refund_order.',
  fulfillment_exceeds_order: ({ line, left }) =>
    `Only ${left} of ${line === '*' ? 'this order' : line} are left to send; get_order shows them.`,
  refund_exceeds_payment: ({ refundable, currency }) =>
    `At most ${refundable} (minor units, ${currency}) can be refunded.`,
  refund_declined: ({ reason }) =>
    `The payment provider declined the refund (${reason}). Try again, or refund it at the provider.`,
  webhook_url_invalid:
    'The address must not contain a user or password: events are signed instead.',
  action_invalid: ({ issues }) => `The action is not valid: ${issues.join('; ')}.`,
  action_name_taken: ({ name }) =>
    `The agent already has an action ${name}. Change that one with update_custom_action, or give this one another name.`,
  too_many_actions: ({ allowed }) =>
    `An agent can have ${allowed} actions: its model reads all of them in every turn. Delete some, or import fewer.`,
  action_unchanged: 'No field to change was given. Name at least one.',
  variable_invalid: ({ problem }) => `The variable is not valid: ${problem}.`,
  too_many_variables: ({ allowed }) => `An agent can have ${allowed} variables. Delete some first.`,
  import_invalid: ({ problem }) => `Nothing was imported. ${problem}`,
  imports_busy:
    'Nothing was imported, because other documents are being read. Try again in a moment.',
  mcp_server_name_taken: ({ name }) =>
    `The agent already has a server ${name}. Remove that one, or give this one another name.`,
  too_many_mcp_servers: ({ allowed }) =>
    `An agent can have ${allowed} MCP servers. Remove one first.`,
  mcp_server_invalid: ({ problem }) => `The server cannot be added: ${problem}.`,
  mcp_server_unusable: ({ problem }) =>
    `The server cannot be added: ${problem}. Check its url and headers, then try again.`,
  credits_used_up:
    'The workspace has no credits left for this. get_credits shows them; a person can buy more, or move to a larger plan.',
  credit_cap_reached: ({ subject, period, resets_at }) =>
    `The cap on what ${cappedSubject(subject)} may use in a ${period} is reached; it resets at ${resets_at}. A person can change it with set_credit_cap.`,
  operator_required:
    'Only operators of this instance may do this: the owners of its first workspace. If that workspace requires a second factor, add one at /account/second-factor.',
  price_pattern_invalid:
    'model must be <provider>/<model>, <provider>/*, * for every model, or action/http or action/mcp.',
  not_for_sale: 'This is not for sale here. get_subscription shows the current plan.',
  subscribed_already: ({ plan }) =>
    `The workspace already pays for the ${plan} plan. open_billing_portal changes it.`,
  no_billing_account: 'The workspace has not bought anything yet. Begin with start_checkout.',
  billing_unavailable: 'The billing provider does not answer. Try again.',
  confirm_name_wrong: ({ name }) =>
    `To delete this workspace, give its name as confirm_name: ${name}.`,
  subscription_running:
    'This workspace has an active subscription. End it with open_billing_portal, then delete the workspace.',
  own_factor_missing:
    'Your own account has no second factor yet, so this would lock you out. Add one at /account/second-factor, then try again.',
  second_factor_required: ({ workspace }) =>
    `The workspace “${workspace}” requires a second factor of its owners, and your account has none. Sign in with a browser and add one at /account/second-factor.`,
  member_without_factor: ({ name }) =>
    `This workspace requires a second factor of its owners, and ${name} has none. They can add one at /account/second-factor.`,
  last_owner:
    'A workspace must have an owner. Make another member an owner first, or transfer the workspace.',
  role_not_yours_to_give: 'Only an owner can make a member an admin or owner. Ask an owner.',
  member_above_you: 'Only an owner can change admins and owners. Ask an owner.',
  member_is_you: 'That is you. Name another member; to leave yourself, use leave_workspace.',
  already_member: 'This person is already a member. list_members shows all members.',
  invitations_limited: ({ email, retryAfterSeconds }) =>
    `No more invitations can be mailed to ${email} for now. Try again in ${hours(retryAfterSeconds)}, or give the link to them yourself (by_mail: false).`,
  workspace_invitations_limited: ({ limit, retryAfterSeconds }) =>
    `A workspace can invite ${limit} people in a day. Try again in ${hours(retryAfterSeconds)}.`,
  already_invited: ({ email }) =>
    `${email} is already invited. Send the invitation again with resend_invitation, or revoke it.`,
  invitation_invalid:
    'This invitation was used or revoked, or is older than seven days. Create another one.',
  confirmation_required: 'Confirm that it is you, then try again.',
  email_invalid: 'That is not an email address.',
  email_taken: 'Another account has this email. Sign in, or use a different one.',
  password_length: ({ least, most }) =>
    `A password must be between ${least} and ${most} characters long. Choose another.`,
  password_guessable:
    'This password is easy to guess. Choose another: several unrelated words, or one that a password manager creates.',
  user_not_found: ({ email }) =>
    `There is no account ${email}. Create one with: parley user create --email … --password …`,
  not_set_up: 'This instance has no owner yet. Start it once: npm start',
}

const cappedSubject = (subject: string): string =>
  `this ${subject === 'end_user' ? 'end user' : subject}`

/** A fault in one sentence for the management surfaces: tools, dashboard and command line. */
export function faultMessage({ code, kind, facts }: Fault): string {
  const words: Readonly<Record<string, Words<never>>> = byCode
  return say(words[code] ?? byKind[kind], facts)
}

function hours(seconds: number): string {
  const count = Math.ceil(seconds / 3600)
  return count === 1 ? 'an hour' : `${count} hours`
}
