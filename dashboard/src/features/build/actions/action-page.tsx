import { useParams } from '@tanstack/react-router'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import type { Action } from './action-draft.ts'
import { ActionFormView } from './action-form.tsx'
import { ActionSummary } from './action-summary.tsx'
import { ActionTest } from './action-test.tsx'
import { BackLink } from '#components/back-link.tsx'
import { useActionForm } from './use-action-form.ts'

/** /agents/{appId}/build/actions/{actionId} */
export function ActionPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const { actionId } = useParams({ from: '/agents/$appId/build/actions/$actionId' })
  const found = useOperation('get_custom_action', { action_id: actionId })
  const title = found.data === undefined ? '…' : found.data.title || found.data.name
  return (
    <>
      <BackLink link={{ to: '/agents/$appId/build/actions', params: { appId: agent.app_name_id } }}>
        {t('build.actions.back')}
      </BackLink>
      <PageHeading
        title={title}
        {...(mayChange ? {} : { hint: t('build.actions.readOnly') })}
        documentTitle={`${title} · ${agent.name}`}
      />
      {found.error !== null ? (
        <ErrorState error={found.error} onRetry={() => found.refetch()} />
      ) : found.data === undefined ? (
        <LoadingRows />
      ) : mayChange ? (
        <EditableAction key={found.data.id} action={found.data} />
      ) : (
        <ActionSummary action={found.data} />
      )}
    </>
  )
}

function EditableAction({ action }: { readonly action: Action }) {
  const form = useActionForm(action)
  const save = useOperationMutation('update_custom_action', {
    refreshes: ['get_custom_action', 'list_custom_actions', 'list_app_variables'],
    onSuccess({ name }) {
      form.clear()
      notify({ title: t('build.actions.saved', { name }) })
    },
  })
  return (
    <div className="flex flex-col gap-5">
      <ActionTest action={action} isStale={form.isChanged} />
      <ActionFormView
        form={form}
        save={t('build.actions.save')}
        isSaving={save.isPending}
        warns
        error={save.error}
        onSave={(definition) => save.mutate({ action_id: action.id, ...definition })}
      />
    </div>
  )
}
