import { useState, type FormEvent } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { providerTitle } from './provider-title.ts'
import { useConnectionTest } from './use-connection-test.ts'

export type ListedProvider = ItemOf<'list_providers'>

export interface ProviderDialogProps {
  /** Null to add a provider. */
  readonly provider: ListedProvider | null
  onClose(): void
}

/** The API key and base URL of a provider, which are tested before they are saved. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const title =
    provider === null
      ? t('settings.providers.add')
      : t('settings.providers.editTitle', { name: providerTitle(provider.provider) })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      {...(provider === null ? { description: t('settings.providers.addHint') } : {})}
      closeLabel={t('common.close')}
    >
      <ProviderForm provider={provider} onClose={onClose} />
    </Dialog>
  )
}

function ProviderForm({ provider, onClose }: ProviderDialogProps) {
  const form = useProviderForm(provider, onClose)
  const { name, problem } = form
  const isBuiltIn = provider?.built_in === true
  return (
    <form onSubmit={form.submit} className="flex flex-col gap-5">
      {provider === null && (
        <Field
          label={t('settings.providers.name')}
          hint={t('settings.providers.nameHint')}
          error={problem?.issueOf('provider')}
        >
          <Input
            required
            pattern="[a-z][a-z0-9\-]{0,39}"
            placeholder={t('settings.providers.namePlaceholder')}
            value={name}
            onChange={(event) => form.change({ name: event.currentTarget.value })}
          />
        </Field>
      )}
      {isBuiltIn ? (
        <>
          <KeyField form={form} />
          <AddressField form={form} isBuiltIn />
        </>
      ) : (
        <>
          <AddressField form={form} isBuiltIn={false} />
          <KeyField form={form} />
        </>
      )}
      <ConnectionTest test={form.test} isReady={name.trim() !== ''} />
      {problem !== null && problem.issues.length === 0 && (
        <Notice tone="bad">
          <ErrorText error={problem} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        {form.test.hasFailed && (
          <Button onClick={form.save} disabled={form.isSaving}>
            {t('settings.providers.saveAnyway')}
          </Button>
        )}
        <Button look="primary" type="submit" busy={form.isSaving || form.test.isRunning}>
          {t('common.save')}
        </Button>
      </DialogActions>
    </form>
  )
}

interface PartProps {
  readonly form: ReturnType<typeof useProviderForm>
}

/** First for a provider whose address is known: it is all that most people have to enter. */
function KeyField({ form }: PartProps) {
  return (
    <Field
      label={t('settings.providers.key')}
      hint={form.keyHint}
      error={form.problem?.issueOf('api_key')}
    >
      <Input
        type="password"
        value={form.apiKey}
        onChange={(event) => form.setApiKey(event.currentTarget.value)}
      />
    </Field>
  )
}

function AddressField({ form, isBuiltIn }: PartProps & { readonly isBuiltIn: boolean }) {
  const texts = isBuiltIn
    ? { label: t('settings.providers.addressOptional'), hint: t('settings.providers.addressHint') }
    : { label: t('settings.providers.address'), hint: t('settings.providers.addressOwnHint') }
  return (
    <Field {...texts} error={form.problem?.issueOf('base_url')}>
      <Input
        type="url"
        required={!isBuiltIn}
        placeholder="https://…/v1"
        value={form.address}
        onChange={(event) => form.change({ address: event.currentTarget.value })}
      />
    </Field>
  )
}

function useProviderForm(provider: ListedProvider | null, onSaved: () => void) {
  const { id: workspace_id } = useWorkspace()
  const saved = provider?.base_url ?? ''
  const draft = useDraft(`provider-${workspace_id}-${provider?.provider ?? ''}`, {
    name: provider?.provider ?? '',
    address: saved,
  })
  // Not in the draft: secrets are not stored in the browser.
  const [apiKey, setApiKey] = useState('')
  const name = draft.value.name.trim()
  const address = draft.value.address.trim()
  const isNewAddress = address !== saved
  const stored = useOperationMutation('set_provider', {
    refreshes: ['list_providers', 'list_models'],
    onSuccess() {
      draft.clear()
      notify({ title: t('settings.providers.saved', { name: providerTitle(name) }) })
      onSaved()
    },
  })
  const typedKey = apiKey.trim() === '' ? {} : { api_key: apiKey.trim() }
  const typedAddress = isNewAddress ? { base_url: address === '' ? null : address } : {}
  const hasKey = provider?.set_by === 'workspace' && provider.has_key
  const typed = { provider: name, ...typedKey, ...typedAddress, workspace_id }
  const test = useConnectionTest(typed)
  const save = () => stored.mutate(typed)
  return {
    ...draft.value,
    change: draft.change,
    apiKey,
    setApiKey,
    keyHint: keyHint(hasKey, isNewAddress),
    problem: stored.error,
    isSaving: stored.isPending,
    test,
    save,
    /** Saves only a connection that works; `save` saves it anyway. */
    submit(event: FormEvent) {
      event.preventDefault()
      if (test.hasPassed) save()
      else test.run(save)
    },
  }
}

function keyHint(hasKey: boolean, isNewAddress: boolean): string {
  if (hasKey && isNewAddress) return t('settings.providers.addressForgets')
  return hasKey ? t('settings.providers.keyKept') : t('settings.providers.keyHint')
}
