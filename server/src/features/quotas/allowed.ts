import { limits, type LimitName } from '#kernel/limits.ts'
import type { Context } from '#platform/context.ts'

/** The most of a resource; null is unlimited. */
export function allowedOf(
  config: Pick<Context['config'], 'limits'>,
  name: LimitName,
): number | null {
  const own = config.limits[name]
  return own === undefined ? limits[name].most : own
}
