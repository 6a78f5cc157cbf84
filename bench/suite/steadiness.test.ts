import { expect, test } from 'vitest'
import { growths, type Sample } from './steadiness.ts'

const samples = (change: (n: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 90 }, (_, n) => ({
    megabytes: 200 + (n % 10),
    childMegabytes: 80 + (n % 10),
    files: 40,
    sockets: 30 + (n % 7),
    children: 2,
    ...change(n),
  }))

const growing = (change: (n: number) => Partial<Sample>) =>
  growths(samples(change)).flatMap(({ what, isFlat }) => (isFlat ? [] : [what]))

test('a service whose figures only vary is flat', () => {
  expect(growing(() => ({}))).toEqual([])
})

test('each figure that grows is found, however it varies', () => {
  expect(growing((n) => ({ megabytes: 200 + (n % 10) + n / 2 }))).toEqual(['memory in MB'])
  expect(growing((n) => ({ childMegabytes: 80 + n / 4 }))).toEqual([
    'memory of the largest child process in MB',
  ])
  expect(growing((n) => ({ files: 40 + Math.floor(n / 8) }))).toEqual(['open files'])
  expect(growing((n) => ({ sockets: 30 + (n % 7) + n / 4 }))).toEqual(['sockets'])
  expect(growing((n) => ({ children: 2 + Math.floor(n / 12) }))).toEqual(['child processes'])
})

test('a single peak is no growth', () => {
  expect(growing((n) => (n === 80 ? { megabytes: 900, sockets: 500 } : {}))).toEqual([])
})
