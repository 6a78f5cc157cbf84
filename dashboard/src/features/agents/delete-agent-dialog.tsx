import { useState, type ReactNode } from 'react'
import { ErrorText } from '#components/error-text.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'

export interface DeleteAgentDialogProps {
  readonly name: string
  readonly open: boolean
  onOpenChange(open: boolean): void
  /** The dialog closes when this resolves, and shows the error when it rejects. */
  onDelete(): Promise<unknown>
}

/** Asks for the agent's name, because the delete is final. */
export function DeleteAgentDialog(props: DeleteAgentDialogProps) {
  const { name, open, onOpenChange, onDelete } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<ReactNode>(null)
  const [isBusy, setIsBusy] = useState(false)
  async function go(): Promise<void> {
    if (typed.trim() !== name.trim()) return setProblem(t('agents.deleteOther'))
    setProblem(null)
    setIsBusy(true)
    try {
      await onDelete()
      onOpenChange(false)
    } catch (error) {
      setProblem(<ErrorText error={error} />)
    } finally {
      setIsBusy(false)
    }
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
          void go()
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
          <Button look="danger" type="submit" busy={isBusy}>
            {t('agents.delete')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
