import { expect, test } from 'vitest'
import { Durations, Tally } from './tally.ts'

const about = { name: 'parley_test', help: 'A test.', labels: ['kind', 'state'] }
const mostSeries = 500

test('a metric has at most 500 series, and one for all further label values', () => {
  const count = new Tally('counter', about)
  const gauge = new Tally('gauge', about)
  const time = new Durations(about, [1])
  for (let n = 0; n < 2 * mostSeries; n += 1) {
    const labels = `kind${n} on`
    count.add(labels)
    gauge.set(n, labels)
    time.add(1_000, labels)
  }
  for (const { values } of [count, gauge, time]) {
    expect(values.size).toBe(mostSeries + 1)
    expect(values.has(`kind${mostSeries - 1} on`)).toBe(true)
    expect(values.has(`kind${mostSeries} on`)).toBe(false)
  }
  expect(count.values.get('other other')).toBe(mostSeries)
  expect(time.values.get('other other')).toEqual({ counts: [mostSeries, 0], sum: mostSeries })
})

test('a series that exists is still counted when there are 500', () => {
  const count = new Tally('counter', about)
  for (let n = 0; n <= mostSeries; n += 1) count.add(`kind${n} on`)
  count.add('kind0 on')
  expect(count.values.get('kind0 on')).toBe(2)
})
