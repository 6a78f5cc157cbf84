import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { messageOf } from '#components/message-of.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Card, Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

/** /agents/new */
export function NewAgentPage() {
  return (
    <div className="mx-auto max-w-xl">
      <PageHeading title={t('agents.createTitle')} hint={t('agents.createHint')} />
      {useMay('editor') ? <NewAgentForm /> : <Notice>{t('agents.emptyViewerHint')}</Notice>}
    </div>
  )
}

function NewAgentForm() {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const draft = useDraft('agent-create', { name: '', description: '' })
  const create = useOperationMutation('create_app', {
    refreshes: ['list_apps'],
    onSuccess(agent) {
      draft.clear()
      notify({ title: t('agents.created', { name: agent.name }) })
      void navigate({ to: '/agents/$appId/build', params: { appId: agent.app_name_id } })
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    create.mutate({ ...draft.value, workspace_id: workspace.id })
  }
  const nameIssue = create.error?.issueOf('name')
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-5">
        <Field label={t('agents.name')} hint={t('agents.nameHint')} error={nameIssue}>
          <Input
            required
            autoFocus
            maxLength={200}
            placeholder={t('agents.namePlaceholder')}
            value={draft.value.name}
            onChange={(event) => draft.change({ name: event.currentTarget.value })}
          />
        </Field>
        <Field label={`${t('agents.description')} (${t('common.optional')})`}>
          <TextArea
            placeholder={t('agents.descriptionPlaceholder')}
            value={draft.value.description}
            onChange={(event) => draft.change({ description: event.currentTarget.value })}
          />
        </Field>
        {create.error !== null && nameIssue === undefined && (
          <Notice tone="bad">{messageOf(create.error)}</Notice>
        )}
        <Button look="primary" type="submit" busy={create.isPending} className="self-end">
          {t('agents.createDo')}
        </Button>
      </form>
    </Card>
  )
}
