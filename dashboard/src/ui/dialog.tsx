import { lazy, Suspense, useState, type ReactNode } from 'react'
import type { DialogProps } from './dialog-props.ts'

/** Loaded with the first dialog, because most visits open none. */
const DialogWindow = lazy(async () => ({
  default: (await import('./dialog-window.tsx')).DialogWindow,
}))

/** A dialog. Escape and a click outside close it. */
export function Dialog(props: DialogProps) {
  // It stays mounted after it closes, so that it can fade out.
  const [wasOpen, setWasOpen] = useState(props.open)
  if (props.open && !wasOpen) setWasOpen(true)
  if (!props.open && !wasOpen) return null
  return (
    <Suspense>
      <DialogWindow {...props} />
    </Suspense>
  )
}

/** The buttons at the end of a dialog, the primary one last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
