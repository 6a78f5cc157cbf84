import { z } from 'zod'
import { microsPerCredit } from '#features/credits/index.ts'

/** Converts micros to credits, as the wire shows them. */
export function creditsOf(micros: number): number {
  return micros / microsPerCredit
}

export function creditsOrNull(micros: number | null): number | null {
  return micros === null ? null : creditsOf(micros)
}

/** A smaller amount would be rounded to 0: a free price, or a cap that allows nothing. */
function isBookable(credits: number): boolean {
  return credits === 0 || Math.abs(credits) * microsPerCredit >= 1
}

/** Reads credits from `min` to `max`, as micros. */
export function creditField(min: number, max: number) {
  return z
    .number()
    .min(min)
    .max(max)
    .refine(isBookable, `must be 0 or at least ${1 / microsPerCredit} credits`)
    .transform((value) => Math.round(value * microsPerCredit))
}

/** Credits to grant or allow, as micros; exact up to a thousand million. */
export const creditAmount = creditField(-1_000_000_000, 1_000_000_000)
