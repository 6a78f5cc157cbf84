import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ErrorText } from '#components/error-text.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { StartChoice } from './start-choice.tsx'
import { documentOf, type NewAgent } from './starts.ts'

/** /agents/new */
export function NewAgentPage() {
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeading title={t('agents.createTitle')} hint={t('agents.createHint')} />
      {useMay('editor') ? <NewAgentForm /> : <Notice>{t('agents.emptyViewerHint')}</Notice>}
    </div>
  )
}

const empty: NewAgent = { start: 'supportDesk', name: '', description: '', model: '', site: '' }

function NewAgentForm() {
  const { draft, models, create, submit } = useNewAgent()
  const { start, name, description, model, site } = draft.value
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-6">
        <StartChoice value={start} onChange={(value) => draft.change({ start: value })} />
        <Field label={t('agents.site')} hint={t('agents.siteHint')}>
          <Input
            inputMode="url"
            maxLength={2000}
            placeholder="https://"
            value={site}
            onChange={(event) => draft.change({ site: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('agents.name')} hint={t('agents.nameHint')}>
          <Input
            required
            maxLength={200}
            placeholder={t('agents.namePlaceholder')}
            value={name}
            onChange={(event) => draft.change({ name: event.currentTarget.value })}
          />
        </Field>
        {start === 'blank' && (
          <Field label={`${t('agents.description')} (${t('common.optional')})`}>
            <TextArea
              placeholder={t('agents.descriptionPlaceholder')}
              value={description}
              onChange={(event) => draft.change({ description: event.currentTarget.value })}
            />
          </Field>
        )}
        {models.length > 1 && (
          <Field label={t('agents.model')} hint={t('agents.modelHint')}>
            <Select
              choices={models.map((id) => ({ value: id, label: id }))}
              value={model}
              onChange={(value) => draft.change({ model: value })}
            />
          </Field>
        )}
        {create.error !== null && (
          <Notice tone="bad">
            <ErrorText error={create.error} />
          </Notice>
        )}
        <Button look="primary" type="submit" busy={create.isPending} className="self-end">
          {t('agents.createDo')}
        </Button>
      </form>
    </Card>
  )
}

const inside = 'local/extractive'

function useNewAgent() {
  const { id: workspace_id } = useWorkspace()
  const navigate = useNavigate()
  const draft = useDraft('agent-create', empty)
  const listed = useOperation('list_models', { workspace_id, limit: 100 })
  const items = listed.data?.items ?? []
  // A connected model writes answers; the one inside Parley only quotes.
  const usual = items.find((one) => one.default)?.id ?? inside
  const connected = items.find(({ provider }) => provider !== 'local')?.id
  const preferred = usual === inside ? (connected ?? inside) : usual
  const models = items.map(({ id }) => id)
  const model = models.includes(draft.value.model) ? draft.value.model : preferred
  const create = useOperationMutation('import_app', {
    refreshes: ['list_apps', 'get_first_steps'],
    onSuccess(agent) {
      draft.clear()
      notify({ title: t('agents.created', { name: agent.name }) })
      void navigate({ to: '/agents/$appId/build', params: { appId: agent.app_name_id } })
    },
  })
  return {
    draft: { ...draft, value: { ...draft.value, model } },
    models,
    create,
    submit(event: FormEvent) {
      event.preventDefault()
      create.mutate({ document: documentOf({ ...draft.value, model }), workspace_id })
    },
  }
}
