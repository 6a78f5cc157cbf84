import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'

export const chatRequestFaults = defineFaults({
  model_missing: 'invalid',
  messages_missing: 'invalid',
  messages_too_many: withFacts<{ most: number }>('invalid'),
  parts_too_many: withFacts<{ most: number }>('invalid'),
  /** The body must be multipart/form-data. */
  form_missing: 'invalid',
  /** `problem` continues the words `The form`. */
  form_malformed: withFacts<{ problem: string }>('invalid'),
  /** `problem` is the complete message: the invalid field and what it must be. */
  request_invalid: withFacts<{ problem: string }>('invalid'),
})

/** @param problem the complete message: the invalid field and what it must be */
export function invalid(problem: string): Fault {
  return new Fault(chatRequestFaults.request_invalid, { problem })
}
