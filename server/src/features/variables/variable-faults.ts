import { defineFaults, withFacts } from '#kernel/fault.ts'

export const variableFaults = defineFaults({
  /** The value does not fit the type, or a secret has no value. */
  variable_invalid: withFacts<{ problem: string }>('invalid'),
  too_many_variables: withFacts<{ allowed: number }>('conflict'),
})
