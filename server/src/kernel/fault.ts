import { tallies } from './tallies.ts'

/**
 * A typed error in the caller's terms, without any protocol's status or wording.
 * A feature throws a `Fault`; each surface turns it into its own status and words.
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

/** Facts that a surface may show: never a secret, never a provider's internals. */
export type FaultFacts = Readonly<Record<string, string | number | boolean | readonly string[]>>

type NoFacts = Readonly<Record<string, never>>

export interface FaultCode<Code extends string = string, Facts extends FaultFacts = FaultFacts> {
  readonly code: Code
  readonly kind: FaultKind
  /** Never set: only the type of the facts that come with the code. */
  readonly facts?: Facts
}

interface KindWithFacts<Facts extends FaultFacts> {
  readonly kind: FaultKind
  /** Never set, as in `FaultCode`. */
  readonly facts?: Facts
}

/** The kind of a code that is thrown with facts. */
export function withFacts<Facts extends FaultFacts>(kind: FaultKind): KindWithFacts<Facts> {
  return { kind }
}

type FaultSet<T> = {
  readonly [Code in keyof T & string]: T[Code] extends KindWithFacts<infer Facts>
    ? FaultCode<Code, Facts>
    : FaultCode<Code, NoFacts>
}

/**
 * Declares a feature's fault codes, each with its kind and the type of its facts.
 *
 * @example
 * const keyFaults = defineFaults({
 *   key_unknown: 'not_found',
 *   too_many_keys: withFacts<{ allowed: number }>('conflict'),
 * })
 * throw new Fault(keyFaults.too_many_keys, { allowed: 10 })
 */
export function defineFaults<const T extends Record<string, FaultKind | KindWithFacts<FaultFacts>>>(
  set: T,
): FaultSet<T> {
  const entries = Object.entries(set).map(([code, given]) => {
    const kind = typeof given === 'string' ? given : given.kind
    return [code, { code, kind }]
  })
  // Object.fromEntries cannot keep the literal keys that the parameter type gives.
  return Object.freeze(Object.fromEntries(entries)) as FaultSet<T>
}

class AnyFault extends Error {
  override readonly name = 'Fault'
  readonly code: string
  readonly kind: FaultKind
  readonly facts: FaultFacts

  constructor(fault: FaultCode, facts: FaultFacts = {}, options?: ErrorOptions) {
    super(fault.code, options)
    this.code = fault.code
    this.kind = fault.kind
    this.facts = facts
    if (fault.kind === 'limited') tallies.limitsHit.add(fault.code)
  }
}

/** A class cannot have a generic constructor of its own: these signatures tie the facts to the code. */
interface FaultConstructor {
  readonly prototype: AnyFault
  new (fault: FaultCode<string, NoFacts>, facts?: NoFacts, options?: ErrorOptions): AnyFault
  new <Facts extends FaultFacts>(
    fault: FaultCode<string, Facts>,
    facts: NoInfer<Facts>,
    options?: ErrorOptions,
  ): AnyFault
}

export type Fault = AnyFault
export const Fault: FaultConstructor = AnyFault

/** True for a fault of this code, whose facts are then typed. */
export function isFault<Facts extends FaultFacts>(
  error: unknown,
  fault: FaultCode<string, Facts>,
): error is Fault & { readonly facts: Facts } {
  return error instanceof AnyFault && error.code === fault.code
}

/** Faults of no single feature: invalid input, missing permissions, a failing database. */
export const commonFaults = defineFaults({
  /** Each issue is `field: problem`. */
  invalid_input: withFacts<{ issues: readonly string[] }>('invalid'),
  /** The input names a record or workspace that does not exist or that the caller may not see. */
  record_not_found: 'not_found',
  /** `role` is the caller's role, `needs` the lowest role that is allowed. */
  permission_denied: withFacts<{ role?: string; needs?: string; fields?: string }>('forbidden'),
  scope_missing: withFacts<{ scope: string }>('forbidden'),
  /** The credential is bound to workspaces or agents, and the operation needs more than these. */
  credential_bound: 'forbidden',
  /** Another row has the same unique value. Both engines report it with this code. */
  unique_violation: 'conflict',
  database_unavailable: 'unavailable',
  /** A list, figure or search took longer than READ_TIMEOUT_MS and was ended. */
  read_timed_out: withFacts<{ seconds: number }>('unavailable'),
  /** A read was ended because its caller had left. */
  caller_left: 'unavailable',
  /** Too many long reads of the workspace wait already. */
  reads_busy: 'limited',
  /** This process has more work than it can do in time, so it begins nothing new. */
  overloaded: withFacts<{ retryAfterSeconds: number }>('unavailable'),
  /** Too many units change the same rows at the same time: a replay may succeed later. */
  write_conflict: withFacts<{ retryAfterSeconds: number }>('unavailable'),
})
