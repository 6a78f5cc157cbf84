import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { meQuery } from '#api/me.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { notifyError } from '#components/notify-error.ts'
import { formatDate } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

/** For owners: the workspace stops working immediately, until it is restored. */
export function DeleteWorkspaceCard() {
  const workspace = useWorkspace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const [typed, setTyped] = useState('')
  const restore = useRestore()
  const remove = useOperationMutation('delete_workspace', {
    refreshes: ['list_deleted_workspaces'],
    async onSuccess({ id, name }) {
      await navigate({ to: '/settings/workspace', search: { workspace: undefined } })
      await client.invalidateQueries(meQuery)
      notify({
        title: t('settings.workspace.deleted', { name }),
        action: {
          label: t('common.undo'),
          onSelect: () => restore.mutate({ id }, { onError: notifyError }),
        },
      })
    },
  })
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{t('settings.workspace.deleteTitle')}</h2>
        <p className="max-w-prose text-sm text-soft">{t('settings.workspace.deleteHint')}</p>
      </div>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        {t('settings.workspace.deleteDo')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('settings.workspace.deleteConfirm', { name: workspace.name })}
        confirm={t('settings.workspace.deleteDo')}
        onConfirm={() => remove.mutateAsync({ confirm_name: typed, workspace_id: workspace.id })}
      >
        <p className="mb-4">{t('settings.workspace.deleteWarning')}</p>
        <Field label={t('settings.workspace.deleteName', { name: workspace.name })}>
          <Input value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
        </Field>
      </ConfirmDialog>
    </Card>
  )
}

function useRestore() {
  const client = useQueryClient()
  return useOperationMutation('restore_workspace', {
    refreshes: ['list_deleted_workspaces', 'list_workspaces'],
    async onSuccess({ name }) {
      await client.invalidateQueries(meQuery)
      notify({ title: t('settings.workspace.restored', { name }) })
    },
  })
}

/** The user's deleted workspaces that can still be restored. Renders nothing if there are none. */
export function DeletedWorkspacesCard() {
  const list = useOperationList('list_deleted_workspaces', { limit: 50 })
  const restore = useRestore()
  if (list.items.length === 0) return null
  return (
    <Card>
      <CardHeading
        title={t('settings.workspace.deletedTitle')}
        hint={t('settings.workspace.deletedHint')}
      />
      <ul aria-label={t('settings.workspace.deletedTitle')} className="divide-y divide-line">
        {list.items.map(({ id, name, restorable_until }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0"
          >
            <div className="min-w-0">
              <p className="font-medium break-words">{name}</p>
              <p className="text-[0.8125rem] text-soft">
                {t('settings.workspace.restorable', { when: formatDate(restorable_until) })}
              </p>
            </div>
            <Button
              size="small"
              busy={restore.isPending && restore.variables.id === id}
              aria-label={`${t('settings.workspace.restore')} ${name}`}
              onClick={() => restore.mutate({ id }, { onError: notifyError })}
            >
              {t('settings.workspace.restore')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
