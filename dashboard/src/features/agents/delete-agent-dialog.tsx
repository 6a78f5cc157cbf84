import { useState } from 'react'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'

export interface DeleteAgentDialogProps {
  readonly name: string
  readonly open: boolean
  onOpenChange(open: boolean): void
  onDelete(): void
}

/** Asks for the agent's name, because the delete is final once the time to undo is over. */
export function DeleteAgentDialog(props: DeleteAgentDialogProps) {
  const { name, open, onOpenChange, onDelete } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  function go(): void {
    if (typed.trim() !== name.trim()) return setProblem(t('agents.deleteOther'))
    onOpenChange(false)
    onDelete()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('agents.deleteConfirm', { name })}
      description={t('agents.deleteWarning')}
      closeLabel={t('common.close')}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          go()
        }}
        className="flex flex-col gap-4"
      >
        <Field label={t('agents.deleteName', { name })}>
          <Input
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setProblem(null)
            }}
          />
        </Field>
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        <DialogActions>
          <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
          <Button look="danger" type="submit">
            {t('agents.delete')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
