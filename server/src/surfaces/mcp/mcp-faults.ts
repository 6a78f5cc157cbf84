import { defineFaults, withFacts } from '#kernel/fault.ts'

/** What the tool-protocol server refuses before any operation sees it. */
export const mcpFaults = defineFaults({
  /** No bearer token at all. */
  token_missing: 'unauthenticated',
  origin_refused: 'forbidden',
  host_refused: 'forbidden',
  nested_too_deeply: withFacts<{ levels: number }>('invalid'),
  batch_refused: withFacts<{ problem: string }>('invalid'),
  toolset_unknown: withFacts<{ toolset: string; known: readonly string[] }>('invalid'),
})
