import { recordEvent, recordStranger } from '#features/audit/index.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Tx } from '#platform/db/database.ts'

/** The person's browser, if known; `cli` is the operator's terminal. */
type From = { readonly address: string | null } | 'cli' | null

type PersonalAction =
  | 'sign_in'
  | 'confirm_identity'
  | 'reset_second_factors'
  | 'sign_out'
  | 'end_session'
  | 'end_other_sessions'
  | 'set_up'
  | 'sign_up'
  | 'change_password'
  | 'reset_password'
  | 'secure_account'
  | 'openid_logout'
  | 'disable_user'
  | 'enable_user'
  | 'end_sessions'
  | 'prove_email'
  | 'rename'
  | 'change_email'
  | 'undo_email_change'

/**
 * A step: records what a person did to their own account, which belongs to no workspace, or what the
 * operator did to it on the command line.
 */
export async function recordPersonal(
  tx: Tx,
  now: number,
  userId: string,
  action: PersonalAction,
  from: From = null,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await recordEvent(tx, now, {
    actor: personOf(userId, from),
    workspaceId: null,
    action,
    target: userId,
    outcome: 'done',
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  })
}

/**
 * A step: records a wrong password. The typed text is not stored: people type their password into the
 * other field.
 */
export async function recordWrongPassword(
  tx: Tx,
  now: number,
  attempt: {
    readonly userId: string | null
    readonly action: 'sign_in' | 'change_password' | 'change_email' | 'confirm_identity'
  },
  from: Exclude<From, 'cli'>,
): Promise<void> {
  const { userId, action } = attempt
  if (userId === null) {
    const detail = { unknown_account: true }
    const address = from?.address ?? null
    await recordStranger(tx, now, { surface: 'dashboard', action, detail, address })
    return
  }
  await recordEvent(tx, now, {
    actor: personOf(userId, from),
    workspaceId: null,
    action,
    target: userId,
    outcome: 'refused',
    detail: { wrong_password: true },
  })
}

function personOf(userId: string, from: From): Actor {
  const person = { userId, workspaceId: '', scopes: ['*'] } as const
  if (from === 'cli') return { ...person, surface: 'cli' }
  const address = from === null || from.address === null ? {} : { address: from.address }
  return { ...person, surface: 'dashboard', ...address }
}
