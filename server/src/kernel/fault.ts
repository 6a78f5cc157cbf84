/**
 * What went wrong, in the caller's terms but not in any protocol's.
 * A feature throws a `Fault`; each surface turns it into its own status and wording.
 */
export const faultKinds = [
  'invalid',
  'unauthenticated',
  'expired',
  'forbidden',
  'not_found',
  'conflict',
  'limited',
  'too_large',
  'unavailable',
  'internal',
] as const

export type FaultKind = (typeof faultKinds)[number]

/** Facts a surface may show: never a secret, never a provider's internals. */
export type FaultFacts = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface FaultCode<Code extends string = string> {
  readonly code: Code
  readonly kind: FaultKind
}

type FaultTable<T extends Record<string, FaultKind>> = {
  readonly [Code in keyof T & string]: FaultCode<Code>
}

/**
 * Declares a feature's fault codes.
 *
 * @example
 * const agentFaults = defineFaults({ agent_not_found: 'not_found' })
 * throw new Fault(agentFaults.agent_not_found, { app_id: id })
 */
export function defineFaults<const T extends Record<string, FaultKind>>(table: T): FaultTable<T> {
  const entries = Object.entries(table).map(([code, kind]) => [code, { code, kind }])
  // Object.fromEntries cannot keep the literal keys that the parameter type gives.
  return Object.freeze(Object.fromEntries(entries)) as FaultTable<T>
}

export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: string
  readonly kind: FaultKind
  readonly facts: FaultFacts

  constructor(fault: FaultCode, facts: FaultFacts = {}, options?: { cause?: unknown }) {
    super(fault.code, options)
    this.code = fault.code
    this.kind = fault.kind
    this.facts = facts
  }
}

/** Faults that belong to no feature: they can arise wherever input is invalid or the database fails. */
export const commonFaults = defineFaults({
  invalid_input: 'invalid',
  /** The input names a record or workspace that is not there, or not the caller's to see. */
  record_not_found: 'not_found',
  permission_denied: 'forbidden',
  scope_missing: 'forbidden',
  /** A row with the same unique value is there already; both engines report it as this. */
  unique_violation: 'conflict',
  database_unavailable: 'unavailable',
})
