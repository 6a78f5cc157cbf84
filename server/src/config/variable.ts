import { z } from 'zod'
import { isPlan, type Plan } from '#kernel/plan.ts'

export interface Variable<T> {
  readonly schema: z.ZodType<T, string | undefined>
  readonly about: string
  /** The default as the documentation shows it; absent for optional variables. */
  readonly fallback: string | undefined
  readonly secret: boolean
}

export function variable<T>(
  schema: z.ZodType<T, string | undefined>,
  about: string,
  options: { fallback?: string; secret?: boolean } = {},
): Variable<T> {
  return { schema, about, fallback: options.fallback, secret: options.secret ?? false }
}

export const text = z.string().min(1, 'must not be empty')
export const optionalText = z.string().optional()

export function integer(least: number, most = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
}

/** `unlimited` is null. */
export function unlimitedOr<T>(schema: z.ZodType<T, string>) {
  return z.union([z.literal('unlimited').transform(() => null), schema], {
    error: 'must be a whole number of at least 1, or unlimited',
  })
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Minutes, hours or days, as milliseconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be minutes, hours or days, such as 30m, 6h or 1d')
  .transform((word) => {
    const unit = word.endsWith('m') ? 'm' : word.endsWith('h') ? 'h' : 'd'
    return Number.parseInt(word, 10) * unitMs[unit]
  })

export const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((word) => word === 'true' || word === '1')

export const httpUrl = z
  .string()
  .refine((word) => /^https?:\/\/[^\s/]/.test(word) && URL.canParse(word), 'must be an http(s) URL')
  .transform((word) => word.replace(/\/+$/, ''))

export const list = z.string().transform((word) =>
  word
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)

/** Comma-separated `name=value` pairs; `read` returns null for one that is invalid. */
export const pairs = <T>(read: (name: string, value: string) => T | null, example: string) =>
  list.transform((items, context): T[] =>
    items.flatMap((item) => {
      const [name = '', value = '', ...rest] = item.split('=').map((part) => part.trim())
      const pair = rest.length > 0 || value === '' ? null : read(name, value)
      if (pair !== null) return [pair]
      context.addIssue({
        code: 'custom',
        message: `must be pairs like ${example}, and ${JSON.stringify(item)} is not one`,
      })
      return []
    }),
  )

export const wholeNumber = /^\d{1,9}$/

/** A number for each plan; null is unlimited. */
export type PlanLimits = Readonly<Partial<Record<Plan, number | null>>>

export function limitsByPlan(least: number, example: string) {
  return pairs((plan, limit): [Plan, number | null] | null => {
    if (!isPlan(plan)) return null
    if (limit === 'unlimited') return [plan, null]
    return wholeNumber.test(limit) && Number(limit) >= least ? [plan, Number(limit)] : null
  }, `${example} or free=unlimited`).transform((entries): PlanLimits => Object.fromEntries(entries))
}
