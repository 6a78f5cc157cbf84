import { isLimitName, type LimitName } from '#kernel/limits.ts'
import { integer, pairs, unlimitedOr, variable } from './variable.ts'

const example = 'workspaces_per_person=5'

const limits = pairs((name, value): [LimitName, number | null] | null => {
  if (!isLimitName(name)) return null
  if (value === 'unlimited') return [name, null]
  return /^\d{1,15}$/.test(value) ? [name, Number(value)] : null
}, `${example} or products=unlimited`).transform(
  (entries): Readonly<Partial<Record<LimitName, number | null>>> => Object.fromEntries(entries),
)

/** What one tenant may take of what all share. */
export const limitVariables = {
  LIMITS: variable(
    limits,
    'Limits per person, workspace and agent where they differ from the defaults in [Limits](limits.md): `workspaces_per_person=5,products=unlimited`.',
    { fallback: '' },
  ),
  DASHBOARD_RATE_LIMIT: variable(
    unlimitedOr(integer(1, 1_000_000_000)),
    'Maximum number of requests to the dashboard’s API per person and minute, or `unlimited`. Further ones get status 429.',
    { fallback: '1200' },
  ),
  MODEL_CALLS_AT_ONCE: variable(
    integer(1, 1_000_000),
    'Calls of model providers that one workspace can run at the same time in one process. Other workspaces can run as many again, and half as many more start for workspaces that have none. When all are in use, the next one goes to the waiting workspace that has the fewest.',
    { fallback: '500' },
  ),
  MODEL_CALLS_WAITING: variable(
    integer(0, 1_000_000),
    'How many calls of one workspace may wait for that. Further ones get status 429.',
    { fallback: '1000' },
  ),
  MODEL_CALL_WAIT_MS: variable(
    integer(1),
    'How long a call may wait for that before it gets status 429.',
    { fallback: '30000' },
  ),
  MODEL_ANSWER_CHARACTERS: variable(
    integer(1, 1_000_000_000),
    'The most characters of one answer of a model, with its reasoning and its calls. A longer answer ends with an error.',
    { fallback: '2000000' },
  ),
  MODEL_CIRCUIT_FAILURES: variable(
    integer(1, 1_000_000),
    'After how many failures in a row a process stops calling a model for a time. It applies to agents with `fallback_models` only: the next model answers at once.',
    { fallback: '3' },
  ),
  MODEL_CIRCUIT_OPEN_MS: variable(
    integer(1, 86_400_000),
    'How long that is. Then one call tries the model again.',
    { fallback: '30000' },
  ),
  MODEL_CIRCUITS: variable(
    integer(1, 10_000_000),
    'Failing models that a process remembers, each with its address and the owner of its key. The oldest is forgotten first.',
    { fallback: '10000' },
  ),
  VISITOR_MESSAGES_AT_ONCE: variable(
    integer(1, 1_000_000),
    'Messages of visitors that begin a conversation at the same time in one process. Half as many more begin for workspaces that have none. Others wait their turn, for a second at most, and are never refused.',
    { fallback: '32' },
  ),
  IMPORTS_AT_ONCE: variable(
    integer(1, 1_000),
    'Imports of OpenAPI documents, and chat requests whose files are read, that one workspace can run at the same time in one process. Other workspaces can run as many again, and half as many more start for workspaces that have none. Each uses a process with up to 512 MB.',
    { fallback: '2' },
  ),
  IMPORTS_WAITING: variable(
    integer(0, 1_000_000),
    'How many imports of one workspace may wait for that. Further ones get status 429.',
    { fallback: '10' },
  ),
  IMPORT_WAIT_MS: variable(
    integer(1),
    'How long an import may wait for that before it gets status 429.',
    { fallback: '40000' },
  ),
  ENDED_RECORD_DAYS: variable(
    integer(30, 36_500),
    'How many days records are kept after their end: revoked and expired keys, ended invitations, deleted products and webhooks, and purchases of plans and credits that were not completed.',
    { fallback: '90' },
  ),
  UNUSED_ACCOUNT_DAYS: variable(
    unlimitedOr(integer(30, 36_500)),
    'How many days an account is kept that belongs to no workspace, or `unlimited`. Accounts that an operator created or disabled stay.',
    { fallback: '90' },
  ),
  INVITATIONS_PER_DAY: variable(
    unlimitedOr(integer(1, 1_000_000)),
    'People that a workspace can invite in a day, or `unlimited`. Further invitations get status 429.',
    { fallback: '500' },
  ),
  CHANGES_PER_DAY: variable(
    unlimitedOr(integer(1, 1_000_000_000)),
    'Changes that people and assistants can make in a workspace in a day, or `unlimited`. Further ones get status 429, except those that remove something. Each change is an event of the audit log.',
    { fallback: '50000' },
  ),
  TURNS_PER_DAY: variable(
    unlimitedOr(integer(1, 1_000_000_000_000)),
    'Messages that the agents of a workspace can answer in a day, or `unlimited`. Further ones get status 429. Each is an entry of the ledger.',
    { fallback: '10000000' },
  ),
  ENDED_CHECKOUT_DAYS: variable(
    integer(30, 36_500),
    'How many days canceled and expired checkout sessions and declined payments are kept. Orders and what paid for them stay.',
    { fallback: '90' },
  ),
  AUDIT_RETENTION_DAYS: variable(
    unlimitedOr(integer(30, 36_500)),
    'How many days the events of the audit log are kept, those of the instance and those of every workspace, or `unlimited`. Events about permanently deleted workspaces stay.',
    { fallback: 'unlimited' },
  ),
  WEBHOOK_DELIVERY_DAYS: variable(
    integer(1, 36_500),
    'How many days deliveries of webhooks are kept, unless they are still being retried.',
    { fallback: '30' },
  ),
  SESSIONS_PER_PERSON: variable(
    integer(1, 10_000),
    'Sign-in sessions that one person can have at the same time. A further sign-in ends the oldest.',
    { fallback: '100' },
  ),
  GRANTS_PER_PERSON: variable(
    integer(1, 10_000),
    'Authorizations of MCP clients that one person can have at the same time. A further one ends the oldest.',
    { fallback: '200' },
  ),
  AGENT_VERSIONS_KEPT: variable(
    integer(1, 1_000_000),
    'Versions that are kept of each agent. A further one deletes the oldest.',
    { fallback: '200' },
  ),
} as const
