import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { refresh } from '#api/operation-keys.ts'
import { uploadFile } from '#api/upload-file.ts'

export interface Waiting {
  readonly id: string
  readonly file: File
}

export interface SendingEvents {
  onProgress(id: string, part: number): void
  /** The upload is complete and the list of sources contains it. */
  onArrived(id: string): void
  onFailed(waiting: Waiting, error: unknown): void
}

export interface Sender {
  send(files: readonly Waiting[]): void
  cancel(id: string): void
}

/** Concurrent uploads, so that fifty files do not share a slow connection. */
const atOnce = 2

/**
 * Uploads files to an agent's knowledge, a few at a time, until the user leaves the page.
 *
 * @param events the same functions at every render
 */
export function useSender(appId: string, events: SendingEvents): Sender {
  const { onProgress, onArrived, onFailed } = events
  const waiting = useRef<Waiting[]>([])
  const running = useRef(new Map<string, AbortController>())
  const client = useQueryClient()

  const sendOne = useCallback(
    async ({ id, file }: Waiting): Promise<void> => {
      const controller = new AbortController()
      running.current.set(id, controller)
      onProgress(id, 0)
      try {
        const { signal } = controller
        await uploadFile({ appId, file, signal, onProgress: (part) => onProgress(id, part) })
        await refresh(client, ['list_knowledge_sources'])
        onArrived(id)
      } catch (error) {
        if (!controller.signal.aborted) onFailed({ id, file }, error)
      } finally {
        running.current.delete(id)
      }
    },
    [appId, client, onProgress, onArrived, onFailed],
  )
  const sendWaiting = useCallback(async (): Promise<void> => {
    for (;;) {
      const next = running.current.size < atOnce ? waiting.current.shift() : undefined
      if (next === undefined) return
      await sendOne(next)
    }
  }, [sendOne])

  useEffect(() => {
    const all = running.current
    return () => {
      // Otherwise these would start when the running ones end.
      waiting.current = []
      for (const controller of all.values()) controller.abort()
    }
  }, [])
  return useMemo(
    () => ({
      send(files) {
        waiting.current.push(...files)
        for (let sender = 0; sender < atOnce; sender += 1) void sendWaiting()
      },
      cancel(id) {
        waiting.current = waiting.current.filter((one) => one.id !== id)
        running.current.get(id)?.abort()
      },
    }),
    [sendWaiting],
  )
}
