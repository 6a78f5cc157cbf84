import { useNavigate } from '@tanstack/react-router'
import { useOperationMutation } from '#api/use-operation.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { AddActionsFrame } from './add-actions-frame.tsx'
import { ActionFormView } from './action-form.tsx'
import { useActionForm } from './use-action-form.ts'

/** /agents/{appId}/build/actions/new */
export function NewActionPage() {
  return (
    <AddActionsFrame title={t('build.actions.newTitle')} hint={t('build.actions.newHint')}>
      <NewAction />
    </AddActionsFrame>
  )
}

function NewAction() {
  const agent = useAgent()
  const navigate = useNavigate()
  const form = useActionForm(null)
  const create = useOperationMutation('create_custom_action', {
    refreshes: ['list_custom_actions', 'list_app_variables'],
    onSuccess({ id, name }) {
      form.clear()
      notify({ title: t('build.actions.created', { name }) })
      void navigate({
        to: '/agents/$appId/build/actions/$actionId',
        params: { appId: agent.app_name_id, actionId: id },
      })
    },
  })
  return (
    <ActionFormView
      form={form}
      save={t('build.actions.create')}
      isSaving={create.isPending}
      warns={!create.isSuccess}
      error={create.error}
      onSave={(definition) => create.mutate({ app_id: agent.id, ...definition })}
    />
  )
}
