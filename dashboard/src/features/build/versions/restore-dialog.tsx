import { lazy, Suspense } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'

const RestoredChanges = lazy(async () => ({
  default: (await import('./restored-changes.tsx')).RestoredChanges,
}))

export interface RestoreDialogProps {
  readonly version: number
  readonly open: boolean
  onOpenChange(open: boolean): void
  onDone?(): void
}

/** What an earlier version changes for callers, and restoring it: they get it at once. */
export function RestoreDialog({ version, open, onOpenChange, onDone }: RestoreDialogProps) {
  const agent = useAgent()
  const rollBack = useOperationMutation('rollback_app', {
    refreshes: ['get_app', 'list_apps', 'list_app_versions'],
  })
  async function restore(): Promise<void> {
    const note = t('build.versions.noteBack', { version })
    const input = { app_id: agent.id, version, expected_version: agent.version, note }
    const { version: made } = await rollBack.mutateAsync(input)
    notify({ title: t('build.versions.rolledBack', { version, made }) })
    onDone?.()
  }
  return (
    <ConfirmDialog
      wide
      open={open}
      onOpenChange={onOpenChange}
      title={t('build.versions.restoreTitle', { version })}
      confirm={t('build.versions.restore')}
      danger={false}
      onConfirm={restore}
    >
      <p className="mb-4">{t('build.versions.restoreHint', { live: agent.version })}</p>
      <Suspense fallback={<LoadingRows rows={3} />}>
        <RestoredChanges version={version} />
      </Suspense>
    </ConfirmDialog>
  )
}
