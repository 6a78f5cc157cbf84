import type { Fault, FaultFacts, FaultKind } from '#kernel/fault.ts'

type Wording = (facts: FaultFacts) => string

/** One sentence for every kind, so that a new code is never without words. */
const byKind: Record<FaultKind, Wording> = {
  invalid: () => 'The input is not valid.',
  unauthenticated: () => 'Sign in first.',
  expired: () => 'This has expired.',
  forbidden: () => 'You may not do this here.',
  not_found: () => 'There is no such record, or it is not yours to see.',
  conflict: () => 'The record has changed meanwhile; read it again and repeat the change.',
  limited: () => 'A limit is reached; try again later.',
  too_large: () => 'This is too large.',
  unavailable: () => 'Something this needs does not answer; try again.',
  internal: () => 'Something went wrong on our side; the log has the details.',
}

/** Codes whose facts deserve their own sentence; each names the next step. */
const byCode: Record<string, Wording> = {
  invalid_input: ({ issues }) => `The input is not valid: ${list(issues)}.`,
  scope_missing: ({ scope }) => `Scope not authorized: this needs ${String(scope)}.`,
  permission_denied: ({ needs, role }) =>
    needs === undefined
      ? 'You may not do this here.'
      : `Your role here is ${String(role)}; this needs ${String(needs)}. Ask an owner or admin.`,
}

/** What the management faces (tools, dashboard, command line) say of a fault, in one sentence. */
export function faultMessage(fault: Fault): string {
  return (byCode[fault.code] ?? byKind[fault.kind])(fault.facts)
}

function list(value: FaultFacts[string] | undefined): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '')
}
