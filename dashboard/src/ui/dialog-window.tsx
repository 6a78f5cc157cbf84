import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from '#ui/icons.ts'
import { useId, useRef } from 'react'
import { classNames } from './class-names.ts'
import type { DialogProps } from './dialog-props.ts'

/** Loaded by `dialog.tsx` when a dialog is first opened. */
export function DialogWindow(props: DialogProps) {
  const {
    open,
    onOpenChange,
    title,
    description,
    closeLabel,
    wide = false,
    isAbove = false,
    children,
  } = props
  const popup = useRef<HTMLDivElement>(null)
  const id = useId()
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={(next, details) => {
        if (isInAnotherDialog(details.event.target, id)) details.cancel()
        else onOpenChange(next)
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop
          data-dialog={id}
          className={classNames(
            'fixed inset-0 bg-veil transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0',
            isAbove ? 'z-60' : 'z-40',
          )}
        />
        <BaseDialog.Popup
          ref={popup}
          data-dialog={id}
          initialFocus={props.isRead === true ? popup : true}
          className={classNames(
            'fixed top-[max(1rem,10dvh)] left-1/2 flex max-h-[calc(100dvh-2rem-10dvh)] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-2xl border border-line bg-raised shadow-raised outline-none transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
            wide ? 'max-w-3xl' : 'max-w-lg',
            isAbove ? 'z-70' : 'z-50',
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

/** A dialog may open above this one, such as a confirmation: using it must not close this one. */
function isInAnotherDialog(target: EventTarget | null, id: string): boolean {
  const dialog = target instanceof Element ? target.closest<HTMLElement>('[data-dialog]') : null
  return dialog !== null && dialog.dataset.dialog !== id
}
