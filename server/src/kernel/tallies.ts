import { Durations, Tally } from './tally.ts'

/** From a commit without a flush to a disk that hangs. */
const storage = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
/** From a built-in answer to a reasoning model with tools. */
const answers = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
const work = [0.01, 0.1, 0.5, 1, 5, 30, 120, 600]

function counter(name: string, help: string, ...labels: readonly string[]): Tally {
  return new Tally('counter', { name, help, labels })
}

function durations(name: string, help: string, bounds: readonly number[], ...labels: string[]) {
  return new Durations({ name, help, labels }, bounds)
}

/**
 * Everything that this process counts. No label has a value that a tenant chooses: never an id, a name
 * or a model, and of providers only those that every instance knows.
 */
export const tallies = {
  requests: counter(
    'parley_http_requests',
    'HTTP requests by surface and outcome: ok, refused (4xx), limited (429) or failed (5xx).',
    'surface',
    'outcome',
  ),
  shed: counter(
    'parley_requests_shed',
    'Requests that got status 503 because the process was overloaded, by surface.',
    'surface',
  ),
  requestTime: durations(
    'parley_http_request_duration_seconds',
    'Time until the headers of an answer, by surface.',
    answers,
    'surface',
  ),
  turns: counter(
    'parley_turns',
    'Chat turns by model provider and outcome: ok, or the code of the fault that ended them.',
    'provider',
    'outcome',
  ),
  firstChunk: durations(
    'parley_turn_first_chunk_seconds',
    'Time from the start of a streamed turn to its first text.',
    answers,
    'provider',
  ),
  turnTime: durations(
    'parley_turn_duration_seconds',
    'Time from the start of a turn until its answer is ready to be stored.',
    answers,
    'provider',
  ),
  tokens: counter(
    'parley_tokens',
    'Tokens of turns by provider and direction: prompt or completion.',
    'provider',
    'direction',
  ),
  creditMicros: counter(
    'parley_credits_charged_micros',
    'Millionths of a credit charged by turns.',
  ),
  modelCalls: counter('parley_model_calls', 'Calls of model providers.', 'provider'),
  modelErrors: counter(
    'parley_model_errors',
    'Failed calls of model providers, by reason.',
    'provider',
    'reason',
  ),
  modelsWaiting: new Tally('gauge', {
    name: 'parley_model_calls_waiting',
    help: 'Calls of turns that wait for a free slot (MODEL_CALLS_AT_ONCE).',
    labels: ['provider'],
  }),
  modelWait: durations(
    'parley_model_call_wait_seconds',
    'Time that a turn waited for a free slot for its call.',
    answers,
    'provider',
  ),
  writesWaiting: new Tally('gauge', {
    name: 'parley_db_writes_waiting',
    help: 'Units of work that wait for the writer of SQLite.',
    labels: [],
  }),
  writeWait: durations(
    'parley_db_write_wait_seconds',
    'Time that a unit of work waited: for the writer of SQLite, or on PostgreSQL for changes of the same record and for a connection.',
    storage,
  ),
  commit: durations(
    'parley_db_commit_seconds',
    'Time of a commit: with its units on SQLite; on PostgreSQL the COMMIT of a unit of several statements, with what is sent with it, such as an audit event.',
    storage,
  ),
  batch: durations(
    'parley_db_batch_seconds',
    'Time of a batch of statements of turns on PostgreSQL, with its commit: reads or writes.',
    storage,
    'batch',
  ),
  flush: durations('parley_db_flush_seconds', "Time of a flush of SQLite's log to disk.", storage),
  slowStatements: counter(
    'parley_db_slow_statements',
    'Statements that took longer than SLOW_STATEMENT_MS.',
  ),
  replicaReads: counter(
    'parley_db_replica_reads',
    'Long reads with DATABASE_READ_URL, by what served them: replica, or the primary because the replica was behind or failed, or because the workspace had just changed.',
    'outcome',
  ),
  jobRuns: counter(
    'parley_job_runs',
    'Runs of background jobs, by kind and outcome: ok, or failed.',
    'kind',
    'outcome',
  ),
  jobTime: durations('parley_job_run_seconds', 'Time of a run of a job.', work, 'kind'),
  webhooks: counter(
    'parley_webhook_deliveries',
    'Attempts to deliver a webhook, by outcome: delivered or failed.',
    'outcome',
  ),
  limitsHit: counter(
    'parley_limits_hit',
    'Refusals because a limit was reached, by the code of the fault.',
    'limit',
  ),
} as const

/** A pool of connections, as `pg` describes it. */
interface Pool {
  readonly ended: boolean
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  readonly options: { readonly max?: number | null | undefined }
}

/** How old the rows of the read replica may be; null without one. */
export const replica: { lagMs: number | null } = { lagMs: null }

/** The open pools of connections to PostgreSQL, by what they are for. */
export const pools = new Map<string, Pool>()

/** The providers that every instance knows; `createModels` fills it. A workspace's own are `other`. */
export const knownProviders = new Set<string>()

/** @param id a provider, or a model's id that begins with one */
export function providerLabel(id: string): string {
  const slash = id.indexOf('/')
  const provider = slash === -1 ? id : id.slice(0, slash)
  return knownProviders.has(provider) ? provider : 'other'
}

/** A turn as its answer is stored. */
interface EndedTurn {
  readonly model: string
  /** Null when the answer is complete. */
  readonly error_code: string | null
  readonly latency_ms: number
  readonly first_token_ms: number | null
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** At most 0, as in the ledger. */
  readonly amount_micros: number
}

export function tallyTurn(turn: EndedTurn): void {
  const provider = providerLabel(turn.model)
  tallies.turns.add(`${provider} ${turn.error_code ?? 'ok'}`)
  tallies.turnTime.add(turn.latency_ms, provider)
  if (turn.first_token_ms !== null) tallies.firstChunk.add(turn.first_token_ms, provider)
  tallies.tokens.add(`${provider} prompt`, turn.prompt_tokens)
  tallies.tokens.add(`${provider} completion`, turn.completion_tokens)
  tallies.creditMicros.add('', -turn.amount_micros)
}

/** Counts a call of a turn that waits for a slot. @returns a function that ends the wait */
export function tallyWait(providerName: string): () => void {
  const provider = providerLabel(providerName)
  const began = performance.now()
  tallies.modelsWaiting.add(provider)
  return () => {
    tallies.modelsWaiting.add(provider, -1)
    tallies.modelWait.add(performance.now() - began, provider)
  }
}
