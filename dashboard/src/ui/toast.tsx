import { useEffect, useState, type ComponentType } from 'react'
import { afterMount } from './after-mount.ts'

export interface Notification {
  readonly title: string
  readonly description?: string
  readonly tone?: 'plain' | 'bad'
  /** How long the notification stays. An error stays until it is closed. */
  readonly milliseconds?: number
  readonly action?: { readonly label: string; readonly onSelect: () => void }
  readonly onClose?: () => void
}

/** A notification with the id that closes it. */
export interface Shown {
  readonly id: string
  readonly notification: Notification
}

export const toasts = afterMount<Shown>()
let lastId = 0

/**
 * Shows a notification at the navigation, where it covers nothing, and announces it.
 *
 * @returns a function that closes it
 */
export function notify(notification: Notification): () => void {
  lastId += 1
  const id = `toast-${lastId}`
  toasts.add({ id, notification })
  return () => toasts.close(id)
}

export interface ToastsProps {
  readonly label: string
  readonly closeLabel: string
}

/**
 * Where notifications appear. Their code is loaded when the reader does something for the first time,
 * which is before most notifications, or with the first one.
 */
export function Toasts(props: ToastsProps) {
  const [loaded, setLoaded] = useState<{ readonly List: ComponentType<ToastsProps> } | null>(null)
  const isLoaded = loaded !== null
  useEffect(() => {
    if (isLoaded) return
    const ended = new AbortController()
    const load = () =>
      void import('./toast-list.tsx').then(
        ({ ToastList }) => setLoaded({ List: ToastList }),
        // Without a connection. The next occasion tries again; notifications wait for it.
        () => {},
      )
    for (const occasion of ['pointerdown', 'keydown'])
      addEventListener(occasion, load, { signal: ended.signal })
    toasts.onWaiting(load)
    return () => {
      ended.abort()
      toasts.onWaiting(() => {})
    }
  }, [isLoaded])
  return loaded === null ? null : <loaded.List {...props} />
}
