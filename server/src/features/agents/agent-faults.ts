import { defineFaults } from '#kernel/fault.ts'

export const agentFaults = defineFaults({
  /** Facts: `expected`, `actual`. The agent was changed since the caller read it. */
  version_conflict: 'conflict',
  /** Facts: `version`, `latest`. */
  version_not_found: 'not_found',
  /** An update that names no field. */
  nothing_to_change: 'invalid',
})
