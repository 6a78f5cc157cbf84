/** What PostgreSQL may cost a process: times in milliseconds, named like the variables that set them. */
export interface PostgresLimits {
  readonly databasePooler: 'none' | 'transaction'
  readonly databaseConnectTimeoutMs: number
  readonly databaseWaitTimeoutMs: number
  readonly databaseMaxWaiting: number
  readonly databaseStatementTimeoutMs: number
  readonly databaseLockTimeoutMs: number
  readonly databaseIdleTimeoutMs: number
  readonly databaseRequestTimeoutMs: number
  readonly databaseSilenceMs: number
  readonly databaseProbeTimeoutMs: number
  readonly databaseKeepAliveMs: number
  readonly databaseReadMaxLagMs: number
}

export const defaultPostgresLimits: PostgresLimits = {
  databasePooler: 'none',
  databaseConnectTimeoutMs: 3_000,
  databaseWaitTimeoutMs: 10_000,
  databaseMaxWaiting: 2_000,
  databaseStatementTimeoutMs: 30_000,
  databaseLockTimeoutMs: 10_000,
  databaseIdleTimeoutMs: 60_000,
  databaseRequestTimeoutMs: 120_000,
  databaseSilenceMs: 1_000,
  databaseProbeTimeoutMs: 2_000,
  databaseKeepAliveMs: 5_000,
  databaseReadMaxLagMs: 5_000,
}
