import { useState, type FormEvent, type ReactNode } from 'react'
import { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { ErrorText } from './error-text.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { useDraft } from './use-draft.ts'

/** The expirations that the interface offers (Authentication). */
const lifetimes = ['30d', '90d', '1y', 'never'] as const

export type NewKey = {
  readonly name: string
  readonly lifetime: (typeof lifetimes)[number]
  /** The optional fields of every operation that creates a key. */
  readonly limits: { allowed_addresses?: string[] }
}

type KeyDraft = Pick<NewKey, 'name' | 'lifetime'> & { readonly addresses: string }

export interface NewKeyDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  /** The title of the dialog and of its button. */
  readonly create: string
  readonly hint: string
  readonly namePlaceholder: string
  /** The key of the form's draft. */
  readonly draft: string
  /** More fields, between name and expiration. */
  readonly fields?: ReactNode
  /** False while one of those fields is incomplete. */
  readonly isReady?: boolean
  /** Creates the key. @returns the key itself, which is shown once */
  onCreate(key: NewKey): Promise<string>
  /** What to do with the key, shown below it. */
  readonly renderNext?: (key: string) => ReactNode
}

/** The form of a new key, then the key itself, shown once. */
export function NewKeyDialog({ open, onOpenChange, hint, renderNext, ...form }: NewKeyDialogProps) {
  return (
    <SecretDialog
      open={open}
      onOpenChange={onOpenChange}
      form={{
        title: form.create,
        hint,
        render: (onCreated, onCancel) => (
          <KeyForm {...form} onCreated={onCreated} onCancel={onCancel} />
        ),
      }}
      secret={{
        title: t('keys.shownTitle'),
        hint: t('keys.shownHint'),
        label: t('keys.shownLabel'),
        renderNext,
      }}
    />
  )
}

interface KeyFormProps extends Pick<
  NewKeyDialogProps,
  'create' | 'namePlaceholder' | 'draft' | 'fields' | 'isReady' | 'onCreate'
> {
  onCreated(key: string): void
  onCancel(): void
}

const blank: KeyDraft = { name: '', lifetime: 'never', addresses: '' }

function newKeyOf({ name, lifetime, addresses }: KeyDraft): NewKey {
  const blocks = addresses.split(/[\s,]+/).filter((block) => block !== '')
  return { name, lifetime, limits: blocks.length === 0 ? {} : { allowed_addresses: blocks } }
}

function KeyForm(props: KeyFormProps) {
  const { create, namePlaceholder, fields, isReady = true, onCreate, onCreated, onCancel } = props
  const { value, change, clear } = useDraft(props.draft, blank)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    setIsBusy(true)
    setError(null)
    try {
      const key = await onCreate(newKeyOf(value))
      clear()
      onCreated(key)
    } catch (cause) {
      setError(cause)
    } finally {
      setIsBusy(false)
    }
  }
  const nameIssue = error instanceof OperationError ? error.issueOf('name') : undefined
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <Field label={t('keys.name')} error={nameIssue}>
        <Input
          required
          maxLength={200}
          placeholder={namePlaceholder}
          value={value.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      {fields}
      <Field label={t('keys.expiration')}>
        <Select
          choices={lifetimes.map((one) => ({ value: one, label: t(`keys.expirations.${one}`) }))}
          value={value.lifetime}
          onChange={(lifetime) => change({ lifetime })}
        />
      </Field>
      <Field label={t('keys.allowedAddresses')} hint={t('keys.allowedAddressesHint')}>
        <Input
          dir="ltr"
          value={value.addresses}
          onChange={(event) => change({ addresses: event.currentTarget.value })}
        />
      </Field>
      {error !== null && nameIssue === undefined && (
        <Notice tone="bad">
          <ErrorText error={error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={isBusy} disabled={!isReady}>
          {create}
        </Button>
      </DialogActions>
    </form>
  )
}
