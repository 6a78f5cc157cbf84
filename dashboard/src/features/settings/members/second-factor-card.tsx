import { useRefreshMe } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { t } from '#texts/t.ts'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'
import { notify } from '#ui/toast.tsx'

/** For owners: whether this workspace requires a second factor of its owners. */
export function SecondFactorCard() {
  const workspace = useWorkspace()
  const refreshMe = useRefreshMe()
  const set = useOperationMutation('set_second_factor_requirement', {
    refreshes: ['get_workspace', 'list_workspaces'],
    async onSuccess({ owners_need_second_factor: isRequired }) {
      await refreshMe()
      notify({ title: t(`settings.workspace.factor.${isRequired ? 'on' : 'off'}`) })
    },
  })
  return (
    <Card>
      <CardHeading
        title={t('settings.workspace.factor.title')}
        hint={t('settings.workspace.factor.hint')}
      />
      <div className="flex flex-col gap-4">
        <Switch
          label={t('settings.workspace.factor.required')}
          hint={t('settings.workspace.factor.requiredHint')}
          checked={workspace.owners_need_second_factor}
          disabled={set.isPending}
          onChange={(required) => set.mutate({ required, workspace_id: workspace.id })}
        />
        <ErrorNotice error={set.error} />
      </div>
    </Card>
  )
}
