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
 * Deletes with undo, where the service has no restore: the row goes at once, the delete itself when
 * the notification has gone, or the dashboard is left. Its other pages show the notification too.
 *
 * @param commit does the delete, also when the page that asked for it is no more
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

/** What takes back each delete that is not made yet. */
const waiting = new Map<string, () => void>()

/** Takes a delete back where there is one: the record was made anew meanwhile. */
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
