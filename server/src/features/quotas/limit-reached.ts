import { Fault } from '#kernel/fault.ts'
import { limits, type LimitName } from '#kernel/limits.ts'
import { quotaFaults } from './quota-faults.ts'

export function limitReached(limit: LimitName, allowed: number): Fault {
  const { things, per } = limits[limit]
  return new Fault(quotaFaults.limit_reached, { limit, things, per, allowed })
}
