import { recordEvent } from '#features/audit/index.ts'
import type { Tx } from '#platform/db/database.ts'

type FactorAction =
  | 'add_second_factor'
  | 'remove_second_factor'
  | 'replace_recovery_codes'
  | 'use_recovery_code'

/** A step: records a change of a person's own second factors, which belong to no workspace. */
export async function recordFactor(
  tx: Tx,
  now: number,
  event: {
    readonly userId: string
    readonly address: string | null
    readonly action: FactorAction
    readonly detail?: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const { userId, address, action, detail } = event
  const person = { userId, workspaceId: '', scopes: ['*'], surface: 'dashboard' } as const
  await recordEvent(tx, now, {
    actor: address === null ? person : { ...person, address },
    workspaceId: null,
    action,
    target: userId,
    outcome: 'done',
    ...(detail === undefined ? {} : { detail }),
  })
}
