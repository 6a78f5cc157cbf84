import { z } from 'zod'
import { microsPerCredit } from '#features/credits/index.ts'

/** Credits as the wire has them, from micros. */
export function creditsOf(micros: number): number {
  return micros / microsPerCredit
}

export function creditsOrNull(micros: number | null): number | null {
  return micros === null ? null : creditsOf(micros)
}

/** Less than can be booked would count as nothing: a price as free, a cap as one that is used up. */
function isBookable(credits: number): boolean {
  return credits === 0 || Math.abs(credits) * microsPerCredit >= 1
}

/** Credits to micros, from `min` to `max`. */
export function creditField(min: number, max: number) {
  return z
    .number()
    .min(min)
    .max(max)
    .refine(isBookable, `must be 0 or at least ${1 / microsPerCredit} credits`)
    .transform((value) => Math.round(value * microsPerCredit))
}

/** Credits that somebody gives or allows, to micros: a thousand million of them are exact. */
export const creditAmount = creditField(-1_000_000_000, 1_000_000_000)
