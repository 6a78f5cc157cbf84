import { useState, type ReactNode } from 'react'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { ErrorText } from './error-text.tsx'

export interface ConfirmDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly title: string
  /** Explains the consequences. */
  readonly children: ReactNode
  /** The verb on the button, never just "OK". */
  readonly confirm: string
  readonly danger?: boolean
  /** For texts that are compared. */
  readonly wide?: boolean
  /** The dialog closes when this resolves, and shows the error when it rejects. */
  onConfirm(): Promise<unknown>
}

/** Asks before an action that cannot be undone. For one that can, use `useUndoableDelete`. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    open,
    onOpenChange,
    title,
    children,
    confirm,
    danger = true,
    wide = false,
    onConfirm,
  } = props
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  function change(next: boolean): void {
    setError(null)
    onOpenChange(next)
  }
  async function go(): Promise<void> {
    setIsBusy(true)
    setError(null)
    try {
      await onConfirm()
      change(false)
    } catch (cause) {
      setError(cause)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      wide={wide}
      open={open}
      onOpenChange={change}
      title={title}
      closeLabel={t('common.close')}
    >
      <div className="flex flex-col gap-4 text-sm">
        <div className="text-soft">{children}</div>
        {error !== null && (
          <Notice tone="bad">
            <ErrorText error={error} />
          </Notice>
        )}
      </div>
      <DialogActions>
        <Button onClick={() => change(false)}>{t('common.cancel')}</Button>
        <Button look={danger ? 'danger' : 'primary'} busy={isBusy} onClick={() => void go()}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
