import { test } from 'vitest'
import { requirements, type RequirementId } from './requirements.ts'

/** Defines a test of one or more sentences of the interface, which are its title. */
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  show: () => Promise<void>,
): void {
  const cited = typeof ids === 'string' ? [ids] : ids
  test(cited.map((id) => `[${id}] ${requirements[id]}`).join(' '), show)
}
