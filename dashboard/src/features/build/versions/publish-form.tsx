import { useState } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { draftedAgent, useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { Differences } from './differences.tsx'

/** Loaded by `publish-dialog.tsx` when the dialog is opened. */
export function PublishForm({ onDone }: { onDone(): void }) {
  const agent = useAgent()
  const [note, setNote] = useState('')
  const publish = useOperationMutation('publish_app_draft', {
    refreshes: ['get_app', 'list_apps', 'list_app_versions'],
    onSuccess({ version }) {
      onDone()
      notify({ title: t('build.saving.saved', { version }) })
    },
  })
  function send(): void {
    const given = note.trim()
    publish.mutate({
      app_id: agent.id,
      expected_version: agent.version,
      expected_draft: agent.draft?.revision ?? null,
      ...(given === '' ? {} : { note: given }),
    })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Field label={t('build.saving.note')} className="mb-5">
        <Input
          maxLength={500}
          value={note}
          placeholder={t('build.saving.notePlaceholder')}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Field>
      <Differences before={agent} after={draftedAgent(agent)} />
      {publish.error !== null && (
        <div className="mt-4">
          <Notice tone="bad">
            <ErrorText error={publish.error} />
          </Notice>
        </div>
      )}
      <DialogActions>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button
          look="primary"
          type="submit"
          busy={publish.isPending}
          disabled={agent.draft === undefined}
        >
          {t('build.saving.publish')}
        </Button>
      </DialogActions>
    </form>
  )
}
