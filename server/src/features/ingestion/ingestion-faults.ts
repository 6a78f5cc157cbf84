import { defineFaults, withFacts } from '#kernel/fault.ts'

export const ingestionFaults = defineFaults({
  source_too_large: withFacts<{ bytes: number; limit_bytes: number }>('too_large'),
  /** It is only white space, or has no readable text, such as a scan. */
  source_empty: 'invalid',
  /** `known` lists the file name endings that can be read. */
  source_format_unknown: withFacts<{ known: readonly string[]; url?: string }>('invalid'),
  source_address_invalid: 'invalid',
  source_field_unfit: withFacts<{ kind: string; field: string }>('invalid'),
  source_being_read: 'conflict',
  /** The store of objects that has its bytes does not answer, or refuses. */
  source_bytes_unavailable: 'unavailable',
  /** The store of objects answers that it has no such object. */
  source_bytes_lost: 'not_found',
})
