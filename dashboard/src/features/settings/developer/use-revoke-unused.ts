import type { ItemOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'

type Unused = ItemOf<'list_unused_credentials'>

/** Revokes a key or disconnects an app of the list of unused ones. */
export function useRevokeUnused(): (item: Unused) => Promise<void> {
  const { id: workspace_id } = useWorkspace()
  const list = 'list_unused_credentials'
  const chat = useOperationMutation('revoke_chat_key', { refreshes: [list, 'list_chat_keys'] })
  const checkout = useOperationMutation('revoke_acp_key', { refreshes: [list, 'list_acp_keys'] })
  const developer = useOperationMutation('delete_developer_key', {
    refreshes: [list, 'list_developer_keys'],
  })
  const app = useOperationMutation('revoke_connected_app', {
    refreshes: [list, 'list_connected_apps'],
  })
  const revokeBy = {
    chat_key: chat,
    checkout_key: checkout,
    developer_key: developer,
    connected_app: app,
  }
  return async ({ kind, id, name }) => {
    if (kind === 'connected_app') await app.mutateAsync({ id })
    else await revokeBy[kind].mutateAsync({ id, workspace_id })
    const title = kind === 'connected_app' ? 'settings.connectedApps.revoked' : 'keys.revoked'
    notify({ title: t(title, { name }) })
  }
}
