import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { notifyError } from './notify-error.ts'

/** How long a delete can be taken back. */
const undoMs = 6000

export interface UndoableDelete {
  /** Ids that are as good as deleted: leave them out of what is shown. */
  readonly hidden: ReadonlySet<string>
  /** @param title what the notification says, such as "Product Tea deleted" */
  remove(id: string, title: string): void
}

/**
 * Deletes with undo, where the service has no restore: the row goes at once, the delete itself when
 * the notification has gone, or the page is left.
 *
 * @param commit does the delete
 */
export function useUndoableDelete(commit: (id: string) => Promise<unknown>): UndoableDelete {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const waiting = useRef(new Map<string, () => void>())
  const latest = useRef(commit)
  useEffect(() => {
    latest.current = commit
  })
  const show = useCallback(
    (id: string) => setHidden((before) => new Set([...before].filter((one) => one !== id))),
    [],
  )
  const remove = useCallback(
    (id: string, title: string) => {
      setHidden((before) => new Set([...before, id]))
      const finish = (): void => {
        if (!waiting.current.delete(id)) return
        latest.current(id).then(
          () => show(id),
          (error: unknown) => {
            show(id)
            notifyError(error)
          },
        )
      }
      waiting.current.set(id, finish)
      const undo = (): void => {
        waiting.current.delete(id)
        show(id)
      }
      notify({
        title,
        milliseconds: undoMs,
        action: { label: t('common.undo'), onSelect: undo },
        onClose: finish,
      })
    },
    [show],
  )
  useEffect(() => {
    const all = waiting.current
    const finishAll = (): void => {
      for (const finish of all.values()) finish()
    }
    globalThis.addEventListener('pagehide', finishAll)
    return () => {
      globalThis.removeEventListener('pagehide', finishAll)
      finishAll()
    }
  }, [])
  return { hidden, remove }
}
