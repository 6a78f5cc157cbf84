import { useState } from 'react'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { SuggestInput } from '#ui/suggest-input.tsx'
import { notify } from '#ui/toast.tsx'

export interface MoveDialogProps {
  readonly agentIds: readonly string[]
  /** Where they are now; '' for no folder, or for several. */
  readonly from: string
  readonly open: boolean
  onOpenChange(open: boolean): void
  onMoved?(): void
}

/** Puts agents into a folder: an existing one or a new one. */
export function MoveDialog({ agentIds, from, open, onOpenChange, onMoved }: MoveDialogProps) {
  const { id: workspace_id } = useWorkspace()
  const [folder, setFolder] = useState(from)
  const folders = useOperation('get_app_folders', { workspace_id }, { enabled: open })
  const known = (folders.data?.items ?? []).filter(({ name }) => name !== '')
  const count = agentIds.length
  const move = useOperationMutation('move_apps', {
    refreshes: ['list_apps', 'get_app', 'get_app_folders'],
    onSuccess(moved) {
      const name = moved.folder
      const title =
        name === ''
          ? t('agents.folders.movedOut', { count })
          : t('agents.folders.moved', { count, name })
      notify({ title })
      onOpenChange(false)
      onMoved?.()
    },
  })
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('agents.folders.moveTitle', { count })}
      closeLabel={t('common.close')}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          move.mutate({ workspace_id, app_ids: [...agentIds], folder })
        }}
        className="flex flex-col gap-4"
      >
        <Field label={t('agents.folders.name')} hint={t('agents.folders.nameHint')}>
          <SuggestInput
            value={folder}
            onChange={setFolder}
            maxLength={60}
            openLabel={t('agents.folders.all')}
            groups={[
              {
                label: t('agents.folders.all'),
                items: known.map(({ name, agents }) => ({
                  value: name,
                  aside: t('agents.count', { count: agents }),
                })),
              },
            ]}
          />
        </Field>
        <ErrorNotice error={move.error} />
        <DialogActions>
          <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" busy={move.isPending}>
            {t('agents.folders.moveDo')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
