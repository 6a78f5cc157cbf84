import { defineFaults, withFacts } from '#kernel/fault.ts'

export const transferFaults = defineFaults({
  /** Each issue starts with the path of the wrong field. */
  document_invalid: withFacts<{ issues: readonly string[] }>('invalid'),
  /** A newer Parley wrote the document; `known` is the newest version that this one reads. */
  document_too_new: withFacts<{ version: number; known: number }>('invalid'),
  document_too_large: withFacts<{ bytes: number; limit_bytes: number }>('too_large'),
  /** The agent's knowledge is larger than an import accepts. */
  knowledge_too_large: withFacts<{ limit_bytes: number }>('too_large'),
  too_many_products: withFacts<{ allowed: number }>('conflict'),
})
