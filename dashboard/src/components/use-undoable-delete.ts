import { useCallback, useEffect, useRef } from 'react'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { hideRecord, showRecord, useHiddenRecords } from './hidden-records.ts'
import { notifyError } from './notify-error.ts'

/** How long a delete can be undone. */
const undoMs = 6000

export interface UndoableDelete {
  /** Keys of records whose delete is pending. Do not show these records. */
  readonly hidden: ReadonlySet<string>
  /**
   * @param key of the record, unique among all records of the dashboard
   * @param title of the notification, such as "Product Tea was deleted"
   */
  remove(key: string, title: string): void
}

/**
 * Delete with undo, for records that the service cannot restore and whose delete needs no
 * confirmation. The row disappears immediately, and the delete is sent when the notification closes
 * or the user leaves the dashboard. Other pages show the notification too.
 *
 * @param commit sends the delete, even after its page is closed
 */
export function useUndoableDelete(commit: (key: string) => Promise<unknown>): UndoableDelete {
  const hidden = useHiddenRecords()
  const latest = useRef(commit)
  useEffect(() => {
    latest.current = commit
  })
  const remove = useCallback((key: string, title: string) => {
    deleteLater({ key, title, commit: () => latest.current(key) })
  }, [])
  return { hidden, remove }
}

/** The undo function of each delete that is not sent yet. */
const waiting = new Map<string, () => void>()

/** Undoes a pending delete because the record was created again in the meantime. */
export function keepRecord(key: string): void {
  waiting.get(key)?.()
}

interface LaterDelete {
  readonly key: string
  readonly title: string
  commit(): Promise<unknown>
}

function deleteLater({ key, title, commit }: LaterDelete): void {
  /** @returns whether it was still pending */
  function decide(): boolean {
    globalThis.removeEventListener('pagehide', finish)
    return waiting.delete(key)
  }
  function finish(): void {
    if (!decide()) return
    void commit()
      .catch(notifyError)
      .then(() => showRecord(key))
  }
  function undo(): void {
    if (decide()) showRecord(key)
    close()
  }
  waiting.set(key, undo)
  hideRecord(key)
  globalThis.addEventListener('pagehide', finish)
  const close = notify({
    title,
    milliseconds: undoMs,
    action: { label: t('common.undo'), onSelect: undo },
    onClose: finish,
  })
}
