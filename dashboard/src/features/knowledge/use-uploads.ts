import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useMe } from '#api/me.ts'
import { refresh } from '#api/operation-keys.ts'
import { uploadFile } from '#api/upload-file.ts'
import { messageOf } from '#components/message-of.ts'
import { newRowId } from '#components/new-row-id.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'

/** A file on its way; one that has arrived is a source, and no longer here. */
export interface Upload {
  readonly id: string
  readonly name: string
  /** 0 to 1; null while it waits for its turn. */
  readonly part: number | null
  /** Why it did not arrive. */
  readonly error: string | null
}

interface Waiting {
  readonly id: string
  readonly file: File
}

/** Concurrent uploads: fifty files must not share a slow line. */
const atOnce = 2

/** Sends files to an agent's knowledge, a few at a time, each with its progress or its error. */
export function useUploads(appId: string) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const waiting = useRef<Waiting[]>([])
  const running = useRef(new Map<string, AbortController>())
  const client = useQueryClient()
  const { limits } = useMe()

  const change = useCallback((id: string, part: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)))
  }, [])
  const remove = useCallback((id: string) => {
    waiting.current = waiting.current.filter((one) => one.id !== id)
    running.current.get(id)?.abort()
    setUploads((all) => all.filter((one) => one.id !== id))
  }, [])

  const send = useCallback(
    async ({ id, file }: Waiting): Promise<void> => {
      const controller = new AbortController()
      running.current.set(id, controller)
      change(id, { part: 0 })
      try {
        const { signal } = controller
        await uploadFile({ appId, file, signal, onProgress: (part) => change(id, { part }) })
        await refresh(client, ['list_knowledge_sources'])
        remove(id)
      } catch (error) {
        if (!controller.signal.aborted) change(id, { part: null, error: messageOf(error) })
      } finally {
        running.current.delete(id)
      }
    },
    [appId, change, client, remove],
  )
  const sendWaiting = useCallback(async (): Promise<void> => {
    for (;;) {
      const next = running.current.size < atOnce ? waiting.current.shift() : undefined
      if (next === undefined) return
      await send(next)
    }
  }, [send])

  const add = useCallback(
    (files: readonly File[]) => {
      const made = files.map((file) => ({
        id: newRowId(),
        file,
        error: problemOf(file, limits.file_bytes),
      }))
      setUploads((all) => [
        ...all,
        ...made.map(({ id, file, error }) => ({ id, name: file.name, part: null, error })),
      ])
      waiting.current.push(...made.filter(({ error }) => error === null))
      for (let sender = 0; sender < atOnce; sender += 1) void sendWaiting()
    },
    [limits.file_bytes, sendWaiting],
  )

  useEffect(() => {
    const all = running.current
    return () => {
      for (const controller of all.values()) controller.abort()
    }
  }, [])
  return { uploads, add, remove }
}

function problemOf(file: File, limitBytes: number): string | null {
  if (file.size === 0) return t('knowledge.add.isEmpty')
  if (file.size <= limitBytes) return null
  return t('knowledge.add.tooLarge', {
    size: formatBytes(file.size),
    limit: formatBytes(limitBytes),
  })
}
