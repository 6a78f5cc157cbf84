import { defineFaults, withFacts } from '#kernel/fault.ts'

export const importFaults = defineFaults({
  /** The document or the curl command cannot be read. */
  import_invalid: withFacts<{ problem: string }>('invalid'),
  /** Other documents are being read. */
  imports_busy: withFacts<{ retryAfterSeconds: number }>('limited'),
})
