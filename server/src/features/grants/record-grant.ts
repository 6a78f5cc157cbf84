import { recordEvent } from '#features/audit/index.ts'
import type { Tx } from '#platform/db/database.ts'
import type { GrantRow } from './grant-store.ts'

/** What a client does with a grant's tokens, without the person. */
interface GrantEvent {
  readonly action: 'revoke_token' | 'revoke_grant' | 'redeem_code' | 'refresh_tokens'
  readonly outcome: 'done' | 'refused'
  readonly detail?: Readonly<Record<string, unknown>>
}

/** A step: the audit log shows the person what happened to their grant. */
export async function recordGrantEvent(
  tx: Tx,
  now: number,
  grant: GrantRow,
  event: GrantEvent,
): Promise<void> {
  const { id, user_id: userId, workspace_id: workspaceId, client_name: client } = grant
  const via = { kind: 'grant', id, client } as const
  await recordEvent(tx, now, {
    actor: { userId, workspaceId, scopes: [], surface: 'mcp', via },
    workspaceId,
    target: id,
    ...event,
  })
}
