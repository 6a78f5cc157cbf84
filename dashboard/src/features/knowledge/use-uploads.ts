import { useCallback, useMemo, useState } from 'react'
import { useMe } from '#api/me.ts'
import { OperationError } from '#api/operation-error.ts'
import { newRowId } from '#components/new-row-id.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { useSender, type SendingEvents } from './use-sender.ts'

/** A file that is being uploaded or has failed. A complete upload becomes a source. */
export interface Upload {
  readonly id: string
  readonly name: string
  /** From 0 to 1; null while it waits. */
  readonly part: number | null
  /** Why the upload failed: our own sentence, or what the service reported. */
  readonly error: unknown
  /** The file to retry with, if a retry can help. */
  readonly again: File | null
}

/** Uploads files to an agent's knowledge, each with its progress or error. */
export function useUploads(appId: string) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const { limits } = useMe()

  const change = useCallback((id: string, part: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)))
  }, [])
  const drop = useCallback((id: string) => {
    setUploads((all) => all.filter((one) => one.id !== id))
  }, [])
  const events = useMemo<SendingEvents>(
    () => ({
      onProgress: (id, part) => change(id, { part }),
      onArrived: drop,
      onFailed: ({ id, file }, error) =>
        change(id, {
          part: null,
          error,
          again: isRefusal(error) ? null : file,
        }),
    }),
    [change, drop],
  )
  const sender = useSender(appId, events)

  const add = useCallback(
    (files: readonly File[]) => {
      const made = files.map((file) => ({
        id: newRowId(),
        file,
        error: problemOf(file, limits.file_bytes),
      }))
      setUploads((all) => [
        ...all,
        ...made.map(({ id, file: { name }, error }) => {
          return { id, name, part: null, error, again: null }
        }),
      ])
      sender.send(made.filter(({ error }) => error === null))
    },
    [limits.file_bytes, sender],
  )
  const remove = useCallback(
    (id: string) => {
      sender.cancel(id)
      drop(id)
    },
    [drop, sender],
  )
  const retry = useCallback(
    ({ id, again }: Upload) => {
      if (again === null) return
      change(id, { error: null, again: null })
      sender.send([{ id, file: again }])
    },
    [change, sender],
  )
  return { uploads, add, remove, retry }
}

/** Whether a retry would fail again. A rate limit (429) passes. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof OperationError)) return false
  return error.status >= 400 && error.status < 500 && error.status !== 429
}

function problemOf(file: File, limitBytes: number): string | null {
  if (file.size === 0) return t('knowledge.add.isEmpty')
  if (file.size <= limitBytes) return null
  return t('knowledge.add.tooLarge', {
    size: formatBytes(file.size),
    limit: formatBytes(limitBytes),
  })
}
