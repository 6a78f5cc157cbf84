import { useOperationMutation } from '#api/use-operation.ts'
import { notifyError } from '#components/notify-error.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'

/** Restores the settings of an earlier version, and offers to undo it. */
export function useRollBack(onDone?: () => void) {
  const agent = useAgent()
  const rollBack = useOperationMutation('rollback_app', {
    refreshes: ['get_app', 'list_apps', 'list_app_versions'],
  })
  async function undo(version: number, made: number): Promise<void> {
    const note = t('build.versions.noteUndo', { version })
    try {
      const input = { app_id: agent.id, version, expected_version: made, note }
      const after = await rollBack.mutateAsync(input)
      notify({ title: t('build.versions.undone', { made: after.version }) })
    } catch (error) {
      notifyError(error)
    }
  }
  async function to(version: number): Promise<void> {
    const before = agent.version
    const note = t('build.versions.noteBack', { version })
    try {
      const input = { app_id: agent.id, version, expected_version: before, note }
      const { version: made } = await rollBack.mutateAsync(input)
      notify({
        title: t('build.versions.rolledBack', { version, made }),
        milliseconds: 10_000,
        action: { label: t('common.undo'), onSelect: () => void undo(before, made) },
      })
      onDone?.()
    } catch (error) {
      notifyError(error)
    }
  }
  return { isBusy: rollBack.isPending, to: (version: number) => void to(version) }
}
