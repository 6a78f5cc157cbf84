import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from '#ui/icons.ts'
import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { CopyButton } from '#components/copy-button.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { DeveloperKeyRow } from './developer-key-row.tsx'
import { UnusedCard } from './unused-card.tsx'

type DeveloperKey = ItemOf<'list_developer_keys'>

/** /settings/developer */
export function DeveloperPage() {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const { create } = useSearch({ from: '/settings/developer' })
  const keys = useOperationList('list_developer_keys', { workspace_id: workspace.id, limit: 50 })
  const [deleting, setDeleting] = useState<DeveloperKey | null>(null)
  const remove = useOperationMutation('delete_developer_key', {
    refreshes: ['list_developer_keys', 'list_unused_credentials'],
    onSuccess: (key) => void notify({ title: t('settings.developer.deleted', { name: key.name }) }),
  })
  const openForm = (open: boolean) =>
    void navigate({ to: '/settings/developer', search: open ? { create: true } : {} })
  const createButton = (
    <Button look="primary" onClick={() => openForm(true)}>
      <Plus aria-hidden />
      {t('settings.developer.create')}
    </Button>
  )
  return (
    <>
      <PageHeading title={t('settings.developer.title')} hint={t('settings.developer.hint')} />
      <div className="flex flex-col gap-6">
        <Endpoint />
        <Card>
          <CardHeading
            title={t('settings.developer.keysTitle')}
            hint={t('settings.developer.keysHint')}
            actions={keys.items.length > 0 ? createButton : undefined}
          />
          <ListStates
            list={keys}
            rows={2}
            isEmpty={keys.items.length === 0}
            empty={
              <EmptyState
                icon={KeyRound}
                title={t('settings.developer.empty')}
                hint={t('settings.developer.emptyHint')}
                action={createButton}
              />
            }
          >
            <VirtualList
              label={t('settings.developer.keysTitle')}
              items={keys.items}
              keyOf={(key) => key.id}
              rowPixels={84}
              onEnd={keys.onEnd}
            >
              {(key) => <DeveloperKeyRow apiKey={key} onDelete={() => setDeleting(key)} />}
            </VirtualList>
          </ListStates>
        </Card>
        <UnusedCard />
      </div>
      <CreateKeyDialog open={create === true} onOpenChange={openForm} />
      <ConfirmDialog
        open={deleting !== null}
        onOpenChange={(open) => !open && setDeleting(null)}
        title={t('settings.developer.deleteConfirm', { name: deleting?.name ?? '' })}
        confirm={t('settings.developer.delete')}
        onConfirm={async () => {
          if (deleting !== null) await remove.mutateAsync({ id: deleting.id })
        }}
      >
        {t('settings.developer.deleteWarning')}
      </ConfirmDialog>
    </>
  )
}

function Endpoint() {
  const { base_url } = useMe()
  const address = `${base_url ?? location.origin}/mcp`
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{t('settings.developer.endpoint')}</h2>
        <p className="font-mono text-sm break-all">{address}</p>
        <p className="mt-0.5 text-sm text-soft">{t('settings.developer.endpointHint')}</p>
      </div>
      <CopyButton text={address} />
    </Card>
  )
}
