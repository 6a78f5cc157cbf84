import type { Finding } from './doctor-finding.ts'
import type { Interval } from '#commands/serving/figures-page.ts'

/** One thing that can be slow: what is found, and what helps. */
interface Rule {
  readonly check: string
  /** What was measured, and whether it is too much. */
  measure(of: Interval): { readonly note: string; readonly isSlow: boolean } | null
  readonly fix: string
}

/** What a running service can suffer from, the causes of others first. */
const rules: readonly Rule[] = [
  {
    check: 'event loop',
    measure(of) {
      const late = of.most('nodejs_eventloop_lag_p99_seconds')
      return { note: `timers up to ${ms(late)} late`, isSlow: late > 0.1 }
    },
    fix: 'the process has more work than one core does: set WORKERS (PostgreSQL), add a machine, or lower IMPORTS_AT_ONCE',
  },
  {
    check: 'disk flushes',
    measure: timed('parley_db_flush_seconds', 'to flush the log to disk', 0.05),
    fix: 'the disk is slow or busy: move DATA_DIR to a local SSD, and look for other writers with `iostat -x 1`',
  },
  {
    check: 'commits',
    measure: timed('parley_db_commit_seconds', 'for a commit', 0.1),
    fix: 'look for "slow statement" in the log, and for other programs that use the database',
  },
  {
    check: 'writes',
    measure: timed('parley_db_write_wait_seconds', 'until a write began', 0.1),
    fix: 'the database is busy with other writes: look for "held the database for long" in the log; on PostgreSQL, raise DATABASE_POOL_SIZE',
  },
  {
    check: 'connections',
    measure(of) {
      if (of.valuesOf('parley_db_pool_connections', 'pool').length === 0) return null
      const waiting = of.now('parley_db_pool_connections', { state: 'waiting' })
      return { note: `${waiting} requests wait for one to PostgreSQL`, isSlow: waiting > 0 }
    },
    fix: 'raise DATABASE_POOL_SIZE if PostgreSQL allows more (max_connections), or find the slow statements in the log',
  },
  {
    check: 'read replica',
    measure(of) {
      if (of.valuesOf('parley_db_replica_reads_total', 'outcome').length === 0) return null
      const reads = (outcome: string) => of.grew('parley_db_replica_reads_total', { outcome })
      const missed = reads('behind') + reads('failed')
      const lag = ms(of.most('parley_db_replica_lag_seconds'))
      const note = `${reads('replica')} long reads, ${missed} more were left to the primary; ${lag} behind`
      return { note, isSlow: missed > 0 }
    },
    fix: 'the standby is behind or down: look for "read replica" in the log, and at pg_stat_wal_receiver on the standby',
  },
  {
    check: 'statements',
    measure(of) {
      const slow = of.grew('parley_db_slow_statements_total')
      return { note: `${slow} slower than SLOW_STATEMENT_MS`, isSlow: slow > 0 }
    },
    fix: 'read the lines "slow statement" in the log',
  },
  {
    check: 'model slots',
    measure(of) {
      const waiting = of.now('parley_model_calls_waiting')
      const p95 = of.p95('parley_model_call_wait_seconds') ?? 0
      const note = `${waiting} turns wait for a slot, 95 % for at most ${ms(p95)}`
      return { note, isSlow: waiting > 0 || p95 > 1 }
    },
    fix: 'raise MODEL_CALLS_AT_ONCE if the provider and the memory allow it',
  },
  {
    check: 'jobs',
    measure(of) {
      const late = of.most('parley_job_overdue_seconds')
      const backlog = of.now('parley_ingestion_backlog')
      const note = `the oldest is ${Math.round(late)} s late; ${backlog} of knowledge wait`
      return { note, isSlow: late > 300 }
    },
    fix: 'background work is behind: add a process on PostgreSQL, and look for "a job failed" in the log',
  },
  {
    check: 'requests',
    measure(of) {
      const all = of.grew('parley_http_requests_total')
      const failed = of.grew('parley_http_requests_total', { outcome: 'failed' })
      return { note: `${all} answered, ${failed} with status 5xx`, isSlow: failed > 0 }
    },
    fix: 'look for "request failed" in the log',
  },
  {
    check: 'webhooks',
    measure(of) {
      const failed = of.grew('parley_webhook_deliveries_total', { outcome: 'failed' })
      return { note: `${failed} deliveries failed`, isSlow: failed > 0 }
    },
    fix: 'an endpoint refuses its webhooks: `list_webhook_deliveries` shows which',
  },
]

/** Explains what is slow in a running service. */
export function explainServing(of: Interval): readonly Finding[] {
  const providers = of.valuesOf('parley_model_calls_total', 'provider').map(providerRule)
  return [...rules, ...providers].flatMap(({ check, measure, fix }): Finding[] => {
    const found = measure(of)
    if (found === null) return []
    const { note, isSlow } = found
    return [isSlow ? { check, ok: false, note, fix } : { check, ok: true, note }]
  })
}

function providerRule(provider: string): Rule {
  return {
    check: provider,
    measure(of) {
      const errors = of.grew('parley_model_errors_total', { provider })
      const p95 = of.p95('parley_turn_first_chunk_seconds', { provider }) ?? 0
      const calls = of.grew('parley_model_calls_total', { provider })
      const note = `${calls} calls, ${errors} failed; first text within ${ms(p95)}`
      return { note, isSlow: errors > 0 || p95 > 10 }
    },
    fix: 'the provider is slow or refuses calls: look for "A model call failed" in the log, and at its status page',
  }
}

function timed(name: string, what: string, mostSeconds: number): Rule['measure'] {
  return (of) => {
    const p95 = of.p95(name)
    return p95 === null
      ? null
      : { note: `95 % take at most ${ms(p95)} ${what}`, isSlow: p95 > mostSeconds }
  }
}

function ms(seconds: number): string {
  return Number.isFinite(seconds) ? `${Math.round(seconds * 1000)} ms` : 'longer than measured'
}
