import { expect, test } from 'vitest'
import { afterMount } from './after-mount.ts'

function list() {
  const calls: string[] = []
  const receiver = {
    add: (toast: string) => void calls.push(`add ${toast}`),
    close: (id: string) => void calls.push(`close ${id}`),
  }
  return { calls, receiver, toasts: afterMount<string>() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a notification before the list is mounted is shown when it is, in the same order', async () => {
  const { calls, receiver, toasts } = list()
  toasts.add('saved')
  toasts.add('deleted')
  toasts.close('saved')
  await settled()
  expect(calls).toEqual([])
  toasts.isMounted(receiver)
  await settled()
  expect(calls).toEqual(['add saved', 'add deleted', 'close saved'])
})

test('a notification after the list is mounted is shown at once', async () => {
  const { calls, receiver, toasts } = list()
  toasts.isMounted(receiver)
  toasts.add('saved')
  await settled()
  expect(calls).toEqual(['add saved'])
})

test('a notification that waits has the list loaded, however early it comes', () => {
  let loads = 0
  const load = () => (loads += 1)
  const early = list().toasts
  early.add('saved')
  early.onWaiting(load)
  expect(loads).toBe(1)
  const late = list().toasts
  late.onWaiting(load)
  expect(loads).toBe(1)
  late.add('saved')
  expect(loads).toBe(2)
})
