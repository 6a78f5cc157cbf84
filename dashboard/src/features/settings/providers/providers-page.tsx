import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from '#ui/icons.ts'
import { useState } from 'react'
import { builtInProviders } from '#api/generated-providers.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { ListStates } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ProviderDialog, type ListedProvider } from './provider-dialog.tsx'
import { providerTitle } from './provider-title.ts'

/** /settings/providers */
export function ProvidersPage() {
  const workspace = useWorkspace()
  const mayChange = useMay('admin')
  const navigate = useNavigate()
  const { edit } = useSearch({ from: '/settings/providers' })
  const list = useOperationList('list_providers', { workspace_id: workspace.id, limit: 100 })
  const [removing, setRemoving] = useState<string | null>(null)
  const remove = useOperationMutation('set_provider', {
    refreshes: ['list_providers', 'list_models'],
    onSuccess: ({ provider }) =>
      void notify({ title: t('settings.providers.removed', { name: providerTitle(provider) }) }),
  })
  const open = (provider: string | null) =>
    void navigate({
      to: '/settings/providers',
      search: provider === null ? {} : { edit: provider },
    })
  const found = list.items.find(({ provider }) => provider === edit)
  return (
    <>
      <PageHeading
        title={t('settings.providers.title')}
        hint={mayChange ? t('settings.providers.hint') : t('settings.adminOnly')}
        actions={
          mayChange && (
            <Button onClick={() => open('new')}>
              <Plus aria-hidden />
              {t('settings.providers.add')}
            </Button>
          )
        }
      />
      <ListStates list={list}>
        <Card className="py-2 sm:py-2">
          <ul aria-label={t('settings.providers.list')} className="divide-y divide-line">
            {list.items.map((one) => (
              <ProviderRow
                key={one.provider}
                provider={one}
                mayChange={mayChange}
                onChange={() => open(one.provider)}
                onRemove={() => setRemoving(one.provider)}
              />
            ))}
          </ul>
        </Card>
      </ListStates>
      {mayChange && edit !== undefined && (edit === 'new' || found !== undefined) && (
        <ProviderDialog key={edit} provider={found ?? null} onClose={() => open(null)} />
      )}
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={(isOpen) => !isOpen && setRemoving(null)}
        title={t('settings.providers.removeConfirm', { name: providerTitle(removing ?? '') })}
        confirm={t('settings.providers.remove')}
        onConfirm={async () => {
          if (removing === null) return
          const nothing = { api_key: null, base_url: null }
          await remove.mutateAsync({
            provider: removing,
            ...nothing,
            workspace_id: workspace.id,
          })
        }}
      >
        {t('settings.providers.removeWarning')}
      </ConfirmDialog>
    </>
  )
}

interface ProviderRowProps {
  readonly provider: ListedProvider
  readonly mayChange: boolean
  onChange(): void
  onRemove(): void
}

function ProviderRow({ provider: one, mayChange, onChange, onRemove }: ProviderRowProps) {
  const isInside = builtInProviders.get(one.provider)?.isInside === true
  const name = providerTitle(one.provider)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{name}</span>
          <SetBy provider={one} />
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          {isInside ? (
            <span>{t('settings.providers.localHint')}</span>
          ) : (
            <span className="font-mono">{`${one.provider}/…`}</span>
          )}
          {one.base_url !== null && <span className="break-all">{one.base_url}</span>}
          {one.set_by === 'workspace' && (
            <span>
              {one.has_key ? t('settings.providers.hasKey') : t('settings.providers.noKey')}
            </span>
          )}
        </p>
      </div>
      {mayChange && !isInside && (
        <div className="flex gap-2">
          {one.set_by === 'workspace' && (
            <Button
              size="small"
              look="quiet"
              onClick={onRemove}
              aria-label={`${t('settings.providers.remove')} ${name}`}
            >
              {t('settings.providers.remove')}
            </Button>
          )}
          <SetUpButton isSet={one.set_by === 'workspace'} name={name} onClick={onChange} />
        </div>
      )}
    </li>
  )
}

interface SetUpButtonProps {
  readonly isSet: boolean
  readonly name: string
  onClick(): void
}

function SetUpButton({ isSet, name, onClick }: SetUpButtonProps) {
  const text = isSet ? t('settings.providers.change') : t('settings.providers.setUp')
  return (
    <Button size="small" onClick={onClick} aria-label={`${text} ${name}`}>
      {text}
    </Button>
  )
}

function SetBy({ provider: { set_by: setBy } }: { readonly provider: ListedProvider }) {
  if (setBy === 'workspace') return <Badge tone="good">{t('settings.providers.byWorkspace')}</Badge>
  if (setBy === 'environment') return <Badge>{t('settings.providers.byEnvironment')}</Badge>
  return <Badge>{t('settings.providers.notSet')}</Badge>
}
