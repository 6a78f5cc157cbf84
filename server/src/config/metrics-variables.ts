import { z } from 'zod'
import { integer, variable } from './variable.ts'

/** How the service is watched. */
export const metricsVariables = {
  METRICS_PORT: variable(
    integer(0, 65_535).optional(),
    'Port of `HOST` that serves `/metrics` without a credential: open it to your monitoring only. Off by default.',
  ),
  METRICS_TOKEN: variable(
    z.string().min(16, 'must be at least 16 characters long').optional(),
    'Bearer token with which the service answers `/metrics` on `PORT`. Off by default.',
    { secret: true },
  ),
  SLOW_STATEMENT_MS: variable(
    integer(0),
    'A database statement that takes longer is logged, without its values. 0 turns this log off.',
    { fallback: '500' },
  ),
} as const
