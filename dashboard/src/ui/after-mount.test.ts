import { expect, test } from 'vitest'
import { afterMount } from './after-mount.ts'

function list() {
  const calls: string[] = []
  const receiver = {
    add: (toast: string) => calls.push(`add ${toast}`),
    close: (id: string) => void calls.push(`close ${id}`),
  }
  return { calls, toasts: afterMount(receiver) }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a notification before the list is mounted is shown when it is, in the same order', async () => {
  const { calls, toasts } = list()
  toasts.add('saved')
  toasts.add('deleted')
  toasts.close('saved')
  await settled()
  expect(calls).toEqual([])
  toasts.isMounted()
  await settled()
  expect(calls).toEqual(['add saved', 'add deleted', 'close saved'])
})

test('a notification after the list is mounted is shown at once', async () => {
  const { calls, toasts } = list()
  toasts.isMounted()
  toasts.add('saved')
  await settled()
  expect(calls).toEqual(['add saved'])
})
