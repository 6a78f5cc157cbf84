import { useNavigate } from '@tanstack/react-router'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ActionFormView } from './action-form.tsx'
import { BackLink } from './back-link.tsx'
import { useActionForm } from './use-action-form.ts'

/** /agents/{appId}/build/actions/new */
export function NewActionPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const params = { appId: agent.app_name_id }
  return (
    <>
      <BackLink link={{ to: '/agents/$appId/build/actions', params }}>
        {t('build.actions.back')}
      </BackLink>
      <PageHeading
        title={t('build.actions.newTitle')}
        hint={t('build.actions.newHint')}
        documentTitle={`${t('build.actions.newTitle')} · ${agent.name}`}
      />
      {mayChange ? <NewAction /> : <Notice>{t('build.actions.readOnly')}</Notice>}
    </>
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
