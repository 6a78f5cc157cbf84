import { appendFileSync } from 'node:fs'
import type { Engine } from '#platform/db/database.ts'
import type { KnownFault } from './known-faults.ts'

/** What a fault did to a service, as `docs/reliability.md` shows it. */
export interface FaultResult {
  readonly fault: KnownFault
  readonly engine: Engine
  /** Requests, turns or operations that the test tried while the fault lasted. */
  readonly tries: number
  /** Of those that were acknowledged or shown to a caller, the ones that are not stored. */
  readonly lost: number
  /** Tries that ended with an error or a broken connection. */
  readonly failed: number
  /** Milliseconds from the fault, or from its end if it lasts, to the first success after it. */
  readonly healthyAfterMs: number
}

/** Appends the result as a line of JSON to the file that `FAULTS_RESULTS` names, if it is set. */
export function recordFault(result: FaultResult): void {
  const file = process.env.FAULTS_RESULTS
  if (file === undefined || file === '') return
  const healthyAfterMs = Math.round(result.healthyAfterMs)
  const rounds = process.env.FAULT_ROUNDS === undefined ? null : Number(process.env.FAULT_ROUNDS)
  appendFileSync(file, `${JSON.stringify({ ...result, healthyAfterMs, rounds })}\n`)
}
