import { vi } from 'vitest'
import type { Database } from '#platform/db/database.ts'

type NumberStore = (requests: Int32Array, index: number, request: number) => number

const pass = Atomics.store.bind(Atomics)

let release = () => {}

/** The first flushes of a second run on the event loop. This leaves none of them, so that the thread runs. */
export async function startFlushThread(db: Database): Promise<void> {
  for (let flush = 0; flush <= 20; flush += 1) await db.write(async () => undefined)
}

/** For the end of a test that may have failed before its release. */
export function releaseFlushes(): void {
  release()
}

/** Keeps requests from the thread of `LogFlush` until `release`. */
export function holdFlushes() {
  let held: (() => void) | null = null
  let isHeld = true
  // Of the overloads, LogFlush calls the one of numbers.
  const spy = vi.spyOn(Atomics as { store: NumberStore }, 'store')
  spy.mockClear().mockImplementation((requests, index, request) => {
    const store = () => void pass(requests, index, request)
    if (!isHeld) store()
    else
      held = () => {
        store()
        Atomics.notify(requests, 0)
      }
    return request
  })
  const releaseOne = () => {
    held?.()
    held = null
  }
  release = () => {
    isHeld = false
    releaseOne()
  }
  return { requested: () => spy.mock.calls.length, release, releaseOne }
}

export interface Watched {
  state: 'waits' | 'resolved' | 'rejected'
  readonly done: Promise<void>
}

export function watch(promise: Promise<unknown>): Watched {
  const done = promise.then(
    () => void (watched.state = 'resolved'),
    () => void (watched.state = 'rejected'),
  )
  const watched: Watched = { state: 'waits', done }
  return watched
}

export async function elapsed(milliseconds = 50): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
