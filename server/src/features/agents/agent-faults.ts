import { defineFaults, withFacts } from '#kernel/fault.ts'

export const agentFaults = defineFaults({
  /** The agent has changed since the caller read it. */
  version_conflict: withFacts<{ expected: number; actual: number }>('conflict'),
  version_not_found: withFacts<{ version: number; latest: number }>('not_found'),
  /** The draft has changed since the caller read it, or was published or discarded. */
  draft_conflict: 'conflict',
  /** The agent has no changes to publish or discard. */
  draft_missing: 'not_found',
  /** The update names no field. */
  nothing_to_change: 'invalid',
})
