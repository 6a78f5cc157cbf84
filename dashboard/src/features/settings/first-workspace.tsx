import { t } from '#texts/t.ts'
import { DeletedWorkspacesCard } from './delete-workspace-card.tsx'
import { NewWorkspaceCard } from './new-workspace-card.tsx'

/** For a member of no workspace: one of their own, or one that they deleted. */
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
