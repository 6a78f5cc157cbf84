import { useState, type ReactNode } from 'react'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { SecretOnce } from './secret-once.tsx'

interface Heading {
  readonly title: string
  readonly hint: string
}

export interface SecretDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly form: Heading & {
    /** The form, given what to do with a new secret and on cancel. */
    readonly render: (onCreated: (secret: string) => void, onCancel: () => void) => ReactNode
  }
  readonly secret: Heading & {
    readonly label: string
    /** What to do with the secret, shown below it. */
    readonly renderNext?: ((secret: string) => ReactNode) | undefined
  }
}

/** A form that creates a secret, then the secret itself, shown once. */
export function SecretDialog({ open, onOpenChange, form, secret }: SecretDialogProps) {
  const [shown, setShown] = useState<string | null>(null)
  const change = (isOpen: boolean) => {
    onOpenChange(isOpen)
    if (!isOpen) setShown(null)
  }
  const { title, hint } = shown === null ? form : secret
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      description={hint}
      closeLabel={t('common.close')}
      wide={shown !== null && secret.renderNext !== undefined}
    >
      {shown === null ? (
        form.render(setShown, () => change(false))
      ) : (
        <>
          <SecretOnce secret={shown} label={secret.label} />
          {secret.renderNext?.(shown)}
          <DialogActions>
            <Button look="primary" onClick={() => change(false)}>
              {t('keys.shownDone')}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
