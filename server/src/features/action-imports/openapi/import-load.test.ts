import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { BoundedWorkers } from '#platform/bounded-workers/bounded-workers.ts'
import { createImportSlots } from '#platform/fair-slots/create-import-slots.ts'
import { importOpenApi } from './import-openapi.ts'

describe('imports of OpenAPI documents', () => {
  let open: number
  let most: number
  let importSlots: ReturnType<typeof createImportSlots>
  let finish: AbortController
  let imports: Promise<unknown>[]

  beforeEach(() => {
    ;[open, most, imports] = [0, 0, []]
    importSlots = createImportSlots({ importsAtOnce: 2, importsWaiting: 3, importWaitMs: 40_000 })
    finish = new AbortController()
  })

  /** Processes that read until the test ends them, or until their task is aborted. */
  const workers: BoundedWorkers = {
    open: () => {
      open += 1
      most = Math.max(most, open)
      return {
        async *run(_task, _bytes, signal) {
          await sleep(60_000, null, { signal: AbortSignal.any([signal, finish.signal]) }).catch(
            () => signal.throwIfAborted(),
          )
          yield { imported: { operations: [], needed: [], skipped: [] } }
        },
        close: () => void (open -= 1),
      }
    },
  }

  function start(workspaceId: string, signal = new AbortController().signal) {
    const one = importOpenApi({ workers, importSlots }, { workspaceId, signal }, '{}', {})
    imports.push(one)
    return one
  }

  test('of one workspace run two at a time, and another gets as many, which start at once', async () => {
    for (let count = 0; count < 5; count += 1) void start('a')
    await vi.waitFor(() => expect(open).toBe(2))
    for (let count = 0; count < 3; count += 1) void start('b')
    await vi.waitFor(() => expect(open).toBe(4))
    void start('c')
    await vi.waitFor(() => expect(open).toBe(5))
    finish.abort()
    await Promise.all(imports)
    expect([open, most]).toEqual([0, 5])
  })

  test('are refused when more wait than may', async () => {
    for (let count = 0; count < 5; count += 1) void start('a')
    await expect(start('a')).rejects.toMatchObject({ name: 'SlotsBusy' })
    finish.abort()
    await Promise.allSettled(imports)
  })

  test('end with the request, also while they wait', async () => {
    const client = new AbortController()
    for (let count = 0; count < 5; count += 1) void start('a', client.signal)
    const ended = Promise.allSettled(imports)
    await vi.waitFor(() => expect(open).toBe(2))
    client.abort(new Error('gone'))
    const endings = await ended
    expect(endings).toEqual(endings.map(() => ({ status: 'rejected', reason: new Error('gone') })))
    expect([open, most]).toEqual([0, 2])
  })
})
