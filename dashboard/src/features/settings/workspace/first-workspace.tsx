import { t } from '#texts/t.ts'
import { DeletedWorkspacesCard } from './delete-workspace-card.tsx'
import { NewWorkspaceCard } from './new-workspace-card.tsx'

/** For a user without a workspace: create one, or restore a deleted one. */
export function FirstWorkspace() {
  return (
    <>
      <NewWorkspaceCard
        title={t('settings.workspace.firstTitle')}
        hint={t('settings.workspace.firstHint')}
      />
      <DeletedWorkspacesCard />
    </>
  )
}
