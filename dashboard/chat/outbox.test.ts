import { expect, it } from 'vitest'
import { Outbox } from './outbox.ts'

it('sends one after the other, when nothing stands in the way, and keeps no more than ten', async () => {
  let isFree = false
  const sent: number[] = []
  const outbox = new Outbox(() => isFree)
  const sends = Array.from({ length: 12 }, (_, n) => async () => {
    expect(sent).toHaveLength(n)
    await Promise.resolve()
    sent.push(n)
  })
  for (const send of sends) outbox.add(send)
  await outbox.flush()
  expect(sent).toEqual([])
  isFree = true
  await outbox.flush()
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('keeps what is added twice once', async () => {
  let [isFree, count] = [false, 0]
  const outbox = new Outbox(() => isFree)
  const send = () => Promise.resolve(void (count += 1))
  outbox.add(send)
  outbox.add(send)
  isFree = true
  await outbox.flush()
  expect(count).toBe(1)
})
