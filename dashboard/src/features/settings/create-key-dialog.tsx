import { useState, type FormEvent } from 'react'
import type { InputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { messageOf } from '#components/message-of.ts'
import { SecretOnce } from '#components/secret-once.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { ScopeField } from './scope-field.tsx'

type NewKey = InputOf<'create_developer_key'>
export type Scope = NonNullable<NewKey['scopes']>[number]

const lifetimes = ['30d', '90d', '1y', 'never'] as const
type Lifetime = (typeof lifetimes)[number]

export interface CreateKeyDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** The form of a key, then the key itself, once. */
export function CreateKeyDialog({ open, onOpenChange }: CreateKeyDialogProps) {
  const [key, setKey] = useState<string | null>(null)
  function change(next: boolean): void {
    onOpenChange(next)
    if (!next) setKey(null)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={key === null ? t('settings.developer.create') : t('settings.developer.shownTitle')}
      description={
        key === null ? t('settings.developer.createHint') : t('settings.developer.shownHint')
      }
      closeLabel={t('common.close')}
    >
      {key === null ? (
        <KeyForm onCreated={setKey} onCancel={() => change(false)} />
      ) : (
        <>
          <SecretOnce secret={key} label={t('settings.developer.shownLabel')} />
          <DialogActions>
            <Button look="primary" onClick={() => change(false)}>
              {t('settings.developer.shownDone')}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}

interface KeyFormProps {
  onCreated(key: string): void
  onCancel(): void
}

const blank: { name: string; scopes: readonly Scope[]; lifetime: Lifetime } = {
  name: '',
  scopes: ['*'],
  lifetime: 'never',
}

function KeyForm({ onCreated, onCancel }: KeyFormProps) {
  const workspace = useWorkspace()
  const { value, change, clear } = useDraft('developer-key', blank)
  const create = useOperationMutation('create_developer_key', {
    refreshes: ['list_developer_keys'],
    onSuccess(made) {
      clear()
      onCreated(made.key)
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const { name, scopes, lifetime } = value
    create.mutate({ name, scopes, expires_in: lifetime, workspace_id: workspace.id })
  }
  const nameIssue = create.error?.issueOf('name')
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('settings.developer.name')} error={nameIssue}>
        <Input
          required
          maxLength={200}
          placeholder={t('settings.developer.namePlaceholder')}
          value={value.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <ScopeField value={value.scopes} onChange={(scopes) => change({ scopes })} />
      <Field label={t('settings.developer.expiration')}>
        <Select
          choices={lifetimes.map((one) => ({
            value: one,
            label: t(`settings.developer.expirations.${one}`),
          }))}
          value={value.lifetime}
          onChange={(lifetime) => change({ lifetime })}
        />
      </Field>
      {create.error !== null && nameIssue === undefined && (
        <Notice tone="bad">{messageOf(create.error)}</Notice>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button
          look="primary"
          type="submit"
          busy={create.isPending}
          disabled={value.scopes.length === 0}
        >
          {t('settings.developer.create')}
        </Button>
      </DialogActions>
    </form>
  )
}
