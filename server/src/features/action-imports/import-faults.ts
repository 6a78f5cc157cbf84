import { defineFaults } from '#kernel/fault.ts'

export const importFaults = defineFaults({
  /** Facts: `problem`. The document or the curl line cannot be read. */
  import_invalid: 'invalid',
})
