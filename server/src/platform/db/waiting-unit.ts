import { tallies } from '#kernel/tallies.ts'
import type { Step, Tx } from './database.ts'

/** What a unit does: code, or statements that need none. */
export type Work = ((tx: Tx) => Promise<unknown>) | readonly Step[]

/** A unit that waits for a commit. */
export interface Waiting {
  readonly tenant: string
  readonly work: Work
  readonly mayFlushLater: boolean
  readonly since: number
  resolve(value: unknown): void
  reject(error: unknown): void
}

export type Outcome = { readonly value: unknown } | { readonly error: unknown }

export interface Settled {
  readonly unit: Waiting
  readonly outcome: Outcome
}

/** Units that run again, or in a later commit, are counted each time. */
export function tallyCommit(batch: readonly Waiting[], began: number, left: number): void {
  tallies.commit.add(performance.now() - began)
  tallies.writesWaiting.set(left)
  for (const { since } of batch) tallies.writeWait.add(began - since)
}

export function settle(unit: Waiting, outcome: Outcome): void {
  if ('value' in outcome) unit.resolve(outcome.value)
  else unit.reject(outcome.error)
}
