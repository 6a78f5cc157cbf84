import { useCallback, useEffect, useRef } from 'react'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { hideRecord, showRecord, useHiddenRecords } from './hidden-records.ts'
import { notifyError } from './notify-error.ts'

/** How long a delete can be taken back. */
const undoMs = 6000

export interface UndoableDelete {
  /** Keys of what is as good as deleted: leave it out of what is shown. */
  readonly hidden: ReadonlySet<string>
  /**
   * @param key of the record: no other of the dashboard has it, of whatever kind
   * @param title what the notification says, such as "Product Tea deleted"
   */
  remove(key: string, title: string, milliseconds?: number): void
}

/**
 * Delete with undo, for records that the service cannot restore: the row disappears at once, and
 * the delete is sent when the notification closes or the dashboard is left. Other pages show the
 * notification too.
 *
 * @param commit sends the delete, even if the page that asked for it is gone
 */
export function useUndoableDelete(commit: (key: string) => Promise<unknown>): UndoableDelete {
  const hidden = useHiddenRecords()
  const latest = useRef(commit)
  useEffect(() => {
    latest.current = commit
  })
  const remove = useCallback((key: string, title: string, milliseconds = undoMs) => {
    deleteLater({ key, title, milliseconds, commit: () => latest.current(key) })
  }, [])
  return { hidden, remove }
}

/** The undo of each delete that was not sent yet. */
const waiting = new Map<string, () => void>()

/** Undoes a pending delete: the record was made anew meanwhile. */
export function keepRecord(key: string): void {
  waiting.get(key)?.()
}

interface LaterDelete {
  readonly key: string
  readonly title: string
  readonly milliseconds: number
  commit(): Promise<unknown>
}

function deleteLater({ key, title, milliseconds, commit }: LaterDelete): void {
  /** @returns whether it was open until now */
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
    milliseconds,
    action: { label: t('common.undo'), onSelect: undo },
    onClose: finish,
  })
}
