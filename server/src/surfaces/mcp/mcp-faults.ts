import { defineFaults } from '#kernel/fault.ts'

/** What the tool-protocol server refuses before any operation sees it. */
export const mcpFaults = defineFaults({
  /** No bearer token at all. */
  token_missing: 'unauthenticated',
  origin_refused: 'forbidden',
  host_refused: 'forbidden',
  nested_too_deeply: 'invalid',
  /** Facts: `problem`. */
  batch_refused: 'invalid',
  /** Facts: `toolset`, `known`. */
  toolset_unknown: 'invalid',
})
