import { defineFaults, withFacts } from '#kernel/fault.ts'

export const agentFaults = defineFaults({
  /** The agent has changed since the caller read it. */
  version_conflict: withFacts<{ expected: number; actual: number }>('conflict'),
  version_not_found: withFacts<{ version: number; latest: number }>('not_found'),
  /** The update names no field. */
  nothing_to_change: 'invalid',
})
