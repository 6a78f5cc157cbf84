import { Toast } from '@base-ui/react/toast'
import { X } from '#ui/icons.ts'
import { classNames } from './class-names.ts'

const manager = Toast.createToastManager()

export interface Notification {
  readonly title: string
  readonly description?: string
  readonly tone?: 'plain' | 'bad'
  /** How long the notification stays. An error stays until it is closed. */
  readonly milliseconds?: number
  readonly action?: { readonly label: string; readonly onSelect: () => void }
  readonly onClose?: () => void
}

/** Shows a notification in a corner and announces it. @returns a function that closes it */
export function notify(notification: Notification): () => void {
  const { title, description, tone = 'plain', action, onClose } = notification
  const timeout = notification.milliseconds ?? (tone === 'bad' ? 0 : 6000)
  const id = manager.add({
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
  return () => manager.close(id)
}

export function Toasts({
  label,
  closeLabel,
}: {
  readonly label: string
  readonly closeLabel: string
}) {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport
          aria-label={label}
          className="fixed right-4 bottom-4 z-60 flex w-[calc(100vw-2rem)] max-w-sm flex-col gap-2"
        >
          <ToastList closeLabel={closeLabel} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList({ closeLabel }: { readonly closeLabel: string }) {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={classNames(
        'rounded-xl border bg-raised px-4 py-3 text-sm shadow-raised transition-[opacity,translate] duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0',
        toast.type === 'bad' ? 'border-bad' : 'border-line',
      )}
    >
      <Toast.Content className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <Toast.Title className="font-medium" />
          <Toast.Description className="mt-0.5 break-words text-soft" />
        </div>
        <Toast.Action className="rounded-md px-2 py-1 font-medium text-accent hover:bg-hover" />
        <Toast.Close
          aria-label={closeLabel}
          className="-mr-1 rounded-md p-1.5 text-soft hover:bg-hover hover:text-ink"
        >
          <X className="size-4" aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
