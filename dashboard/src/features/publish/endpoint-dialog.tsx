import type { FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { SecretDialog } from '#components/secret-dialog.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'

export interface EndpointDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** The URL of an endpoint, then its signing secret, shown once. */
export function EndpointDialog({ open, onOpenChange }: EndpointDialogProps) {
  return (
    <SecretDialog
      open={open}
      onOpenChange={onOpenChange}
      form={{
        title: t('publish.webhooks.create'),
        hint: t('publish.webhooks.hint'),
        render: (onCreated, onCancel) => <EndpointForm onCreated={onCreated} onCancel={onCancel} />,
      }}
      secret={{
        title: t('publish.webhooks.secretTitle'),
        hint: t('publish.webhooks.secretHint'),
        label: t('publish.webhooks.secretLabel'),
      }}
    />
  )
}

interface EndpointFormProps {
  onCreated(secret: string): void
  onCancel(): void
}

function EndpointForm({ onCreated, onCancel }: EndpointFormProps) {
  const agent = useAgent()
  const { value, change, clear } = useDraft(`endpoint ${agent.id}`, { url: '' })
  const create = useOperationMutation('create_webhook_endpoint', {
    refreshes: ['list_webhook_endpoints'],
    onSuccess(made) {
      clear()
      onCreated(made.secret)
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    create.mutate({ app_id: agent.id, url: value.url })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('publish.webhooks.url')}>
        <Input
          required
          type="url"
          placeholder={t('publish.webhooks.urlPlaceholder')}
          value={value.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
      </Field>
      {create.error !== null && (
        <Notice tone="bad">
          <ErrorText error={create.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={create.isPending}>
          {t('publish.webhooks.create')}
        </Button>
      </DialogActions>
    </form>
  )
}
