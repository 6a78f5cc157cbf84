import { useState, type FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { messageOf } from '#components/message-of.ts'
import { SecretOnce } from '#components/secret-once.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'

export interface EndpointDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** The address of an endpoint, then its signing secret, once. */
export function EndpointDialog({ open, onOpenChange }: EndpointDialogProps) {
  const [secret, setSecret] = useState<string | null>(null)
  function change(next: boolean): void {
    onOpenChange(next)
    if (!next) setSecret(null)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={secret === null ? t('publish.webhooks.create') : t('publish.webhooks.secretTitle')}
      description={secret === null ? t('publish.webhooks.hint') : t('publish.webhooks.secretHint')}
      closeLabel={t('common.close')}
    >
      {secret === null ? (
        <EndpointForm onCreated={setSecret} onCancel={() => change(false)} />
      ) : (
        <>
          <SecretOnce secret={secret} label={t('publish.webhooks.secretLabel')} />
          <DialogActions>
            <Button look="primary" onClick={() => change(false)}>
              {t('keys.shownDone')}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
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
      {create.error !== null && <Notice tone="bad">{messageOf(create.error)}</Notice>}
      <DialogActions>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={create.isPending}>
          {t('publish.webhooks.create')}
        </Button>
      </DialogActions>
    </form>
  )
}
