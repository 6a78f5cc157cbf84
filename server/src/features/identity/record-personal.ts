import { recordEvent } from '#features/audit/index.ts'
import type { Tx } from '#platform/db/database.ts'

type PersonalAction = 'sign_in' | 'set_up' | 'change_password'

/** A step: what a person did to their own account, which is in no workspace. */
export async function recordPersonal(
  tx: Tx,
  now: number,
  userId: string,
  action: PersonalAction,
): Promise<void> {
  await recordEvent(tx, now, {
    actor: { userId, workspaceId: '', scopes: ['*'], face: 'dashboard' },
    workspaceId: null,
    action,
    target: userId,
    outcome: 'done',
  })
}
