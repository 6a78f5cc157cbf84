import { Toast } from '@base-ui/react/toast'
import { useEffect, useRef } from 'react'
import { X } from '#ui/icons.ts'
import type { Receiver } from './after-mount.ts'
import { classNames } from './class-names.ts'
import { toasts, type Shown, type ToastsProps } from './toast.tsx'

/** The height of all notifications: the navigation, where they appear, leaves them this space. */
const toastsHeight = '--toasts-height'

const manager = Toast.createToastManager()

/** Passes notifications to the library's list. */
const receiver: Receiver<Shown> = {
  add({ id, notification }) {
    const { title, description, tone = 'plain', action, onClose } = notification
    const timeout = notification.milliseconds ?? (tone === 'bad' ? 0 : 6000)
    manager.add({
      id,
      title,
      ...(description === undefined ? {} : { description }),
      type: tone,
      timeout,
      priority: tone === 'bad' ? 'high' : 'low',
      ...(onClose === undefined ? {} : { onClose }),
      ...(action === undefined
        ? {}
        : {
            actionProps: {
              children: action.label,
              onClick() {
                action.onSelect()
                manager.close(id)
              },
            },
          }),
    })
  },
  close: (id) => manager.close(id),
}

/** Loaded by `toast.tsx` when a notification can be expected. */
export function ToastList({ label, closeLabel }: ToastsProps) {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport
          aria-label={label}
          className="fixed top-1.5 right-2 left-14 z-60 lg:top-auto lg:right-auto lg:bottom-39 lg:left-3 lg:w-58"
        >
          <ToastBoxes closeLabel={closeLabel} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastBoxes({ closeLabel }: Pick<ToastsProps, 'closeLabel'>) {
  const { toasts: shown } = Toast.useToastManager()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => toasts.isMounted(receiver), [])
  useEffect(() => {
    const root = document.documentElement
    const observer = new ResizeObserver(([entry]) =>
      root.style.setProperty(toastsHeight, `${entry?.contentRect.height ?? 0}px`),
    )
    if (list.current !== null) observer.observe(list.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={list} className="flex flex-col gap-2">
      {shown.map((toast) => (
        <ToastBox key={toast.id} toast={toast} closeLabel={closeLabel} />
      ))}
    </div>
  )
}

interface ToastBoxProps {
  readonly toast: Toast.Root.ToastObject
  readonly closeLabel: string
}

/**
 * The library hides from assistive technology what can nevertheless have the focus: the buttons that
 * close notifications, as if these lay on top of each other, and errors, which it has announced already.
 */
function ToastBox({ toast, closeLabel }: ToastBoxProps) {
  return (
    <Toast.Root
      toast={toast}
      aria-hidden={false}
      aria-live={toast.type === 'bad' ? 'off' : undefined}
      className={classNames(
        'rounded-xl border bg-raised py-2.5 pr-2.5 pl-3.5 text-sm shadow-raised transition-[opacity,translate] duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0',
        toast.type === 'bad' ? 'border-bad' : 'border-line',
      )}
    >
      <Toast.Content className="flex items-start gap-2">
        <div className="min-w-0 flex-1 py-0.5">
          <Toast.Title className="font-medium break-words" />
          <Toast.Description className="mt-0.5 text-[0.8125rem] break-words text-soft" />
        </div>
        <Toast.Action className="rounded-md px-2 py-0.5 font-medium text-accent hover:bg-hover" />
        <Toast.Close
          aria-label={closeLabel}
          aria-hidden={false}
          className="rounded-md p-1 text-soft hover:bg-hover hover:text-ink"
        >
          <X className="size-4" aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  )
}
