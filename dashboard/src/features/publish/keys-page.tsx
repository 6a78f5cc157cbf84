import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '#api/me.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { CopyButton } from '#components/copy-button.tsx'
import { KeysCard } from '#components/keys-card.tsx'
import { NewKeyDialog } from '#components/new-key-dialog.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Card, Notice } from '#ui/surfaces.tsx'

/** /agents/{appId}/publish/catalog/keys: interface, Authentication, ACP, 3. */
export function AcpKeysPage() {
  const isEditor = useMay('editor')
  return (
    <div className="flex flex-col gap-6">
      <CardAddress />
      {isEditor ? <Keys /> : <Notice>{t('publish.keys.hidden')}</Notice>}
    </div>
  )
}

function Keys() {
  const agent = useAgent()
  const navigate = useNavigate()
  const { create: isCreating } = useSearch({ from: '/agents/$appId/publish/catalog/keys' })
  const keys = useOperationList('list_acp_keys', { app_id: agent.id, limit: 50 })
  const create = useOperationMutation('create_acp_key', { refreshes: ['list_acp_keys'] })
  const revoke = useOperationMutation('revoke_acp_key', { refreshes: ['list_acp_keys'] })
  const openForm = (open: boolean) =>
    void navigate({
      to: '/agents/$appId/publish/catalog/keys',
      params: { appId: agent.app_name_id },
      search: open ? { create: true } : {},
    })
  return (
    <>
      <KeysCard
        title={t('publish.keys.title')}
        hint={t('publish.keys.hint')}
        create={t('publish.keys.create')}
        empty={t('publish.keys.empty')}
        emptyHint={t('publish.keys.emptyHint')}
        keys={keys}
        mayChange
        onCreate={() => openForm(true)}
        onRevoke={(id) => revoke.mutateAsync({ id })}
      />
      <NewKeyDialog
        open={isCreating === true}
        onOpenChange={openForm}
        create={t('publish.keys.create')}
        hint={t('publish.keys.createHint')}
        namePlaceholder={t('publish.keys.namePlaceholder')}
        draft={`acp-key ${agent.id}`}
        onCreate={async ({ name, lifetime }) => {
          const made = await create.mutateAsync({ app_id: agent.id, name, expires_in: lifetime })
          return made.key
        }}
      />
    </>
  )
}

function CardAddress() {
  const { base_url: baseUrl } = useMe()
  const { app_name_id: appId } = useAgent()
  const address = `${baseUrl ?? location.origin}/acp/${appId}/.well-known/agent.json`
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0">
        <h3 className="text-base font-semibold">{t('publish.keys.card')}</h3>
        <p className="font-mono text-sm break-all">{address}</p>
        <p className="mt-0.5 text-sm text-soft">{t('publish.keys.cardHint')}</p>
      </div>
      <CopyButton text={address} />
    </Card>
  )
}
