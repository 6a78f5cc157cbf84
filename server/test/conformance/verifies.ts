import { test } from 'vitest'
import { requirements, type RequirementId } from './requirements.ts'

/** A test that shows one or more sentences of the interface; its title is what they say. */
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  show: () => Promise<void>,
): void {
  const cited = typeof ids === 'string' ? [ids] : ids
  test(cited.map((id) => `[${id}] ${requirements[id]}`).join(' '), show)
}
