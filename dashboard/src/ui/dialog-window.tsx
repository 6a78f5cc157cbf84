import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from '#ui/icons.ts'
import { useRef } from 'react'
import { classNames } from './class-names.ts'
import type { DialogProps } from './dialog-props.ts'

/** Loaded by `dialog.tsx` when a dialog is first opened. */
export function DialogWindow(props: DialogProps) {
  const { open, onOpenChange, title, description, closeLabel, wide = false, children } = props
  const popup = useRef<HTMLDivElement>(null)
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-veil transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Popup
          ref={popup}
          initialFocus={props.isRead === true ? popup : true}
          className={classNames(
            'fixed top-[max(1rem,10dvh)] left-1/2 z-50 flex max-h-[calc(100dvh-2rem-10dvh)] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-2xl border border-line bg-raised shadow-raised outline-none transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <header className="px-6 pt-5 pr-14 pb-4">
            <BaseDialog.Title className="text-lg font-semibold">{title}</BaseDialog.Title>
            {description !== undefined && (
              <BaseDialog.Description className="mt-1 text-sm text-soft">
                {description}
              </BaseDialog.Description>
            )}
          </header>
          <div className="min-h-0 overflow-y-auto px-6 pb-6">{children}</div>
          {/* Last, so that the dialog's content gets the focus first. */}
          <BaseDialog.Close
            aria-label={closeLabel}
            className="absolute top-4 right-4 rounded-lg p-2 text-soft hover:bg-hover hover:text-ink"
          >
            <X className="size-4" aria-hidden />
          </BaseDialog.Close>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}
