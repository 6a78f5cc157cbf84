import { lazy, Suspense, useState, type ReactNode } from 'react'

/** Most pages are left without opening a dialog, so it is loaded with the first. */
const DialogWindow = lazy(async () => ({
  default: (await import('./dialog-window.tsx')).DialogWindow,
}))

export interface DialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly closeLabel: string
  readonly wide?: boolean
  /** It is there to be read: it opens on itself, not on the first thing that can be pressed. */
  readonly isRead?: boolean
  readonly children: ReactNode
}

/** Something to be done first; Escape and a click beside it close it. */
export function Dialog(props: DialogProps) {
  // It stays when it closes, so that it can fade out.
  const [wasOpen, setWasOpen] = useState(props.open)
  if (props.open && !wasOpen) setWasOpen(true)
  if (!props.open && !wasOpen) return null
  return (
    <Suspense>
      <DialogWindow {...props} />
    </Suspense>
  )
}

/** The buttons at a dialog's end, the one that goes on last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
