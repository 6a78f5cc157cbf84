import type { Fault, FaultFacts, FaultKind } from '#kernel/fault.ts'

type Wording = (facts: FaultFacts) => string

/** One sentence for every kind, so that a new code is never without words. */
const byKind: Record<FaultKind, Wording> = {
  invalid: () => 'The input is not valid.',
  unauthenticated: () => 'Sign in first.',
  expired: () => 'This has expired.',
  forbidden: () => 'You may not do this here.',
  not_found: () => 'There is no such record, or it is not yours to see.',
  conflict: () => 'The record has changed meanwhile; read it again and repeat the change.',
  limited: () => 'A limit is reached; try again later.',
  too_large: () => 'This is too large.',
  unavailable: () => 'Something this needs does not answer; try again.',
  internal: () => 'Something went wrong on our side; the log has the details.',
}

/** Codes whose facts deserve their own sentence; each names the next step. */
const byCode: Record<string, Wording> = {
  invalid_input: ({ issues }) => `The input is not valid: ${list(issues)}.`,
  record_not_found: () =>
    'There is no such record, or it is not yours to see. The matching list operation shows the ids.',
  scope_missing: ({ scope }) => `Scope not authorized: this needs ${String(scope)}.`,
  permission_denied: ({ needs, role }) =>
    needs === undefined
      ? 'You may not do this here.'
      : `Your role here is ${String(role)}; this needs ${String(needs)}. Ask ${needs === 'owner' ? 'an owner' : 'an owner or admin'}.`,
  plan_limit_reached: ({ resource, allowed, plan }) =>
    `The ${String(plan)} plan allows ${counted(allowed, resource)}. Remove one, or move to a larger plan.`,
  version_conflict: ({ expected, actual }) =>
    `The agent is at version ${String(actual)}, not ${String(expected)}: someone changed it. Read it with get_app, then repeat the change with the new expected_version.`,
  version_not_found: ({ version, latest }) =>
    `There is no version ${String(version)}; the latest is ${String(latest)}. list_app_versions shows them all.`,
  nothing_to_change: () => 'No field to change was given. Name at least one.',
  model_unknown: ({ model }) =>
    `There is no model ${String(model)} here. Give <provider>/<name>; list_models shows what there is.`,
  provider_fixed: ({ provider }) =>
    `${String(provider)} is part of Parley and has nothing to set. Name another provider.`,
  provider_address_required: ({ provider }) =>
    `No address is known for ${String(provider)}. Give its base_url too.`,
  provider_address_invalid: () =>
    'base_url must be an http(s) address without user, password, query or fragment. Put a key into api_key.',
  key_expiry_invalid: () =>
    'Give either expires_in or expires_at, and as expires_at a moment to come.',
  source_too_large: ({ bytes, limit_bytes }) =>
    `It has ${String(bytes)} bytes; a source may have ${String(limit_bytes)}. Split it, or raise MAX_TEXT_SOURCE_BYTES (of a file, MAX_FILE_SOURCE_BYTES).`,
  source_empty: () => 'There is nothing in it that could be read. Give some text.',
  source_format_unknown: ({ known }) =>
    `Files of this kind cannot be read. Give one whose name ends in ${list(known)}.`,
  source_address_invalid: () =>
    'Give an http(s) address without user and password: https://example.com/help.',
  source_field_missing: ({ kind, field }) =>
    `A source of kind ${String(kind)} needs ${String(field)}.`,
  source_encoding_invalid: () => 'content_base64 is not base64. Encode the bytes of the file.',
  document_invalid: ({ issues }) => `Nothing was imported. In the document: ${list(issues)}.`,
  document_too_new: ({ version, known }) =>
    `The document is of version ${String(version)}; this Parley reads up to ${String(known)}. Update this one, or export it from an older one.`,
  document_too_large: ({ bytes, limit_bytes }) =>
    `The document has ${String(bytes)} bytes; one may have ${String(limit_bytes)}. Export it without knowledge, or raise MAX_IMPORT_BYTES.`,
  knowledge_too_large: ({ limit_bytes }) =>
    `With its knowledge the document would have more than ${String(limit_bytes)} bytes. Leave include_knowledge out, or raise MAX_IMPORT_BYTES.`,
  too_many_products: ({ allowed }) =>
    `An agent can take along ${String(allowed)} products, and this one has more. Delete some first.`,
  range_invalid: ({ most_days }) =>
    `from must not be after to, the range at most ${String(most_days)} days long, and both within the years 1 to 9999.`,
  time_zone_unknown: ({ time_zone }) =>
    `There is no time zone ${String(time_zone)}. Give a name such as Europe/Berlin.`,
  nothing_to_rate: () => 'The conversation has no answer yet.',
  session_unknown: () =>
    'This conversation is not one of this agent. list_conversations shows those; leave session_id out to start one.',
  session_queue_full: () =>
    'Too many messages wait for their turn in this conversation; try again when some are answered.',
  turn_aborted: () => 'The answer was cut short; ask again.',
  model_not_configured: ({ provider }) =>
    `No access to ${String(provider)} is set up. A person can set it with set_provider, or give the agent another model with update_app; list_models shows what there is.`,
  model_unreachable: () => 'The model provider could not be reached; try again.',
  model_rejected: () =>
    'The model provider refused our key. A person can set another with set_provider.',
  model_bad_answer: () => 'The model provider gave no usable answer; try again.',
  model_refused_request: () =>
    'The model provider refused the request; check the model of the agent with get_app.',
  model_timeout: () => 'The model provider took too long to answer; try again.',
  model_limited: () => 'The model provider is over its rate limit; try again later.',
  sku_taken: ({ sku }) =>
    `Another product has the sku ${String(sku)}. Change that one, or give this one another sku.`,
  product_field_missing: ({ field }) =>
    `A new product needs ${String(field)}. To change one that is there, give its product_id.`,
  csv_invalid: ({ lines }) => `Nothing was imported: ${list(lines)}.`,
  order_canceled: () => 'The order is canceled.',
  order_already_fulfilled: () =>
    'Some of the order has been sent, so it cannot be canceled. Give money back with refund_order.',
  fulfillment_exceeds_order: ({ line, left }) =>
    `Of ${line === '*' ? 'this order' : String(line)} only ${String(left)} are left to send; get_order shows them.`,
  refund_exceeds_payment: ({ refundable, currency }) =>
    `At most ${String(refundable)} (minor units, ${String(currency)}) can be given back.`,
  refund_declined: ({ reason }) =>
    `The payment provider declined the refund (${String(reason)}). Try again, or give the money back there.`,
  webhook_url_invalid: () =>
    'The address must not hold a user or password: events are signed instead.',
  action_invalid: ({ issues }) => `The action is not valid: ${list(issues)}.`,
  action_name_taken: ({ name }) =>
    `The agent has an action ${String(name)} already. Change that one with update_custom_action, or give this one another name.`,
  too_many_actions: ({ allowed }) =>
    `An agent can have ${String(allowed)} actions: its model reads all of them in every turn. Delete some, or import fewer.`,
  action_unchanged: () => 'No field to change was given. Name at least one.',
  variable_invalid: ({ problem }) => `The variable is not valid: ${String(problem)}.`,
  too_many_variables: ({ allowed }) =>
    `An agent can have ${String(allowed)} variables. Delete some first.`,
  import_invalid: ({ problem }) => `Nothing was imported. ${String(problem)}`,
  mcp_server_name_taken: ({ name }) =>
    `The agent has a server ${String(name)} already. Remove that one, or give this one another name.`,
  too_many_mcp_servers: ({ allowed }) =>
    `An agent can have ${String(allowed)} MCP servers. Remove one first.`,
  mcp_server_invalid: ({ problem }) => `The server cannot be added: ${String(problem)}.`,
  mcp_server_unusable: ({ problem }) =>
    `The server cannot be added: ${String(problem)}. Check its url and headers, then try again.`,
  credits_used_up: () =>
    'The workspace has no credits left for this. get_credits shows them; a person can buy more, or move to a larger plan.',
  credit_cap_reached: ({ subject, period, resets_at }) =>
    `The cap on what ${cappedWho(subject)} may use in a ${String(period)} is reached; it begins anew at ${String(resets_at)}. A person can change it with set_credit_cap.`,
  operator_required: () =>
    'Only those who run this instance may do this: the owners of its first workspace.',
  price_pattern_invalid: () =>
    'model must be <provider>/<model>, <provider>/*, * for every model, or action/http or action/mcp.',
  not_for_sale: () => 'This is not sold here. get_subscription shows the plan that there is.',
  subscribed_already: ({ plan }) =>
    `The workspace pays for the ${String(plan)} plan already. open_billing_portal changes it.`,
  no_billing_account: () => 'Nothing was bought yet. start_checkout begins.',
  billing_unavailable: () => 'The billing provider does not answer; try again.',
  confirm_name_wrong: ({ name }) =>
    `To delete this workspace, give its name as confirm_name: ${String(name)}.`,
  subscription_running: () =>
    'This workspace has a subscription that goes on. End it with open_billing_portal, then delete it.',
  last_owner: () =>
    'A workspace is never without an owner. Make somebody else one first, or transfer it.',
  role_not_yours_to_give: () => 'Only an owner makes somebody an admin or owner. Ask one.',
  member_above_you: () => 'Only an owner decides about admins and owners. Ask one.',
  member_is_you: () => 'That is you. Name another member; to go yourself, use leave_workspace.',
  already_member: () => 'They are a member already. list_members shows all.',
  already_invited: ({ email }) =>
    `${String(email)} is invited already. Send it again with resend_invitation, or take it back.`,
  invitation_invalid: () =>
    'This invitation was used, taken back, or its seven days are over. Make another.',
  email_invalid: () => 'That is not an e-mail address.',
  email_taken: () => 'There is an account with this e-mail already. Sign in, or use another.',
  password_length: ({ least, most }) =>
    `A password has between ${String(least)} and ${String(most)} characters. Choose another.`,
  user_not_found: ({ email }) =>
    `There is no account ${String(email)}. Make one with: parley user create --email … --password …`,
  not_set_up: () => 'Nobody owns this instance yet. Start it once: npm start',
}

function cappedWho(subject: FaultFacts[string] | undefined): string {
  if (subject === 'workspace') return 'this workspace'
  if (subject === 'end_user') return 'this end user'
  return `this ${String(subject)}`
}

/** What a plan counts, in words: `1 member`, `10 sources for an agent`. */
function counted(
  allowed: FaultFacts[string] | undefined,
  resource: FaultFacts[string] | undefined,
) {
  const [things, of = ''] =
    resource === 'sourcesPerAgent' ? ['sources', ' for an agent'] : [String(resource)]
  return `${String(allowed)} ${allowed === 1 ? things.replace(/s$/, '') : things}${of}`
}

/** What the management surfaces (tools, dashboard, command line) say of a fault, in one sentence. */
export function faultMessage(fault: Fault): string {
  return (byCode[fault.code] ?? byKind[fault.kind])(fault.facts)
}

function list(value: FaultFacts[string] | undefined): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '')
}
