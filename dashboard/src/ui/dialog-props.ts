import type { ReactNode } from 'react'

export interface DialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly closeLabel: string
  readonly wide?: boolean
  /** The dialog may open while another one is open. */
  readonly isAbove?: boolean
  /** The dialog is for reading: it takes the focus itself instead of its first control. */
  readonly isRead?: boolean
  readonly children: ReactNode
}
