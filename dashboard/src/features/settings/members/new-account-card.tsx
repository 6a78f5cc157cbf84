import { useState, type FormEvent } from 'react'
import { useMe } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { SecretDialog } from '#components/secret-dialog.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, Notice } from '#ui/surfaces.tsx'

/** For operators: creates an account whose address they vouch for. */
export function NewAccountCard() {
  const { sends_mail: sendsMail } = useMe()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="text-base font-semibold">{t('people.accounts.title')}</h2>
        <p className="text-sm text-soft">
          {sendsMail ? t('people.accounts.hint') : t('people.accounts.hintWithoutMail')}
        </p>
      </div>
      <Button onClick={() => setIsOpen(true)}>{t('people.accounts.create')}</Button>
      <SecretDialog
        open={isOpen}
        onOpenChange={setIsOpen}
        form={{
          title: t('people.accounts.createTitle'),
          hint: t('people.accounts.createHint'),
          render: (onCreated, onCancel) => (
            <AccountForm onCreated={onCreated} onCancel={onCancel} />
          ),
        }}
        secret={{
          title: t('people.accounts.linkTitle'),
          hint: t('people.accounts.linkHint'),
          label: t('people.accounts.linkLabel'),
        }}
      />
    </Card>
  )
}

interface AccountFormProps {
  onCreated(link: string): void
  onCancel(): void
}

function AccountForm({ onCreated, onCancel }: AccountFormProps) {
  const { value, change, clear } = useDraft('account-new', { email: '' })
  const create = useOperationMutation('create_account', {
    onSuccess({ set_up_link: link }) {
      clear()
      onCreated(link)
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    create.mutate({ email: value.email.trim() })
  }
  const emailIssue = create.error?.issueOf('email')
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('settings.members.email')} error={emailIssue}>
        <Input
          required
          type="email"
          value={value.email}
          onChange={(event) => change({ email: event.currentTarget.value })}
        />
      </Field>
      {create.error !== null && emailIssue === undefined && (
        <Notice tone="bad">
          <ErrorText error={create.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={create.isPending}>
          {t('people.accounts.create')}
        </Button>
      </DialogActions>
    </form>
  )
}
