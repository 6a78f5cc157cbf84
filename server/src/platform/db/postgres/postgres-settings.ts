import type { PostgresLimits } from './postgres-limits.ts'

/** What PostgreSQL keeps to for a statement of ours. */
type Settings = Readonly<Record<string, string | number>>

/** A locked row must not delay every statement of its batch: they are then run one by one. */
const batchLockTimeoutMs = 1_000

export function readSettings(limits: PostgresLimits): Settings {
  return {
    statement_timeout: limits.databaseStatementTimeoutMs,
    lock_timeout: limits.databaseLockTimeoutMs,
    // The server would compile a statement whose plan it thinks expensive, which takes longer than any of ours.
    jit: 'off',
  }
}

/**
 * A batched statement that stores an answer also updates the facts and models of its session, which the trigger
 * `chat_messages_added` would do otherwise (decision 91).
 */
export function batchSettings(limits: PostgresLimits): Settings {
  const own = { lock_timeout: batchLockTimeoutMs, 'parley.keeps_facts': 'yes' }
  return { ...readSettings(limits), ...own }
}

export function unitSettings(limits: PostgresLimits): Settings {
  return {
    ...readSettings(limits),
    // A process that lost its network must release its locks before TCP notices hours later.
    idle_in_transaction_session_timeout: limits.databaseIdleTimeoutMs,
  }
}

type Isolation = 'serializable' | 'read committed'

/** SQL that a new connection runs first. */
export function forSession(settings: Settings, isolation: Isolation): string {
  // A single statement is a unit too, isolated like one of many statements.
  const lines = [`session characteristics as transaction isolation level ${isolation}`]
  for (const [name, value] of Object.entries(settings)) lines.push(`${name} = ${value}`)
  return lines.map((line) => `set ${line}`).join(';')
}

/** The start of a unit; with settings where a connection keeps none. */
export function beginUnit(settings: Settings = {}): readonly string[] {
  const lines = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)
  return ['begin isolation level serializable', ...lines]
}

/** The settings of one transaction, as a statement that can be part of a batch. */
export function forTransaction(settings: Settings): string {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  )
  return `select ${calls.join(', ')}`
}
