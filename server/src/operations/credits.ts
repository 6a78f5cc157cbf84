import { z } from 'zod'
import { microsPerCredit } from '#features/billing/index.ts'

/** Credits as the wire has them, from micros. */
export function creditsOf(micros: number): number {
  return micros / microsPerCredit
}

export function creditsOrNull(micros: number | null): number | null {
  return micros === null ? null : creditsOf(micros)
}

/** Credits that somebody gives or allows, to micros: a thousand million of them are exact. */
export const creditAmount = z
  .number()
  .min(-1_000_000_000)
  .max(1_000_000_000)
  .transform((value) => Math.round(value * microsPerCredit))
