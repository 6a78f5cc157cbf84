import { afterAll, expect, test, vi } from 'vitest'

// Formats follow the browser's language.
vi.stubGlobal('navigator', { language: 'en-US' })
vi.stubEnv('TZ', 'Pacific/Pago_Pago')
vi.resetModules()
const {
  formatBytes,
  formatDay,
  formatDayStart,
  formatDuration,
  formatMoney,
  formatNext,
  formatRelative,
} = await import('./format.ts')
afterAll(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

test('a relative time uses the largest unit that fits, in both directions', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  const at = (seconds: number) => formatRelative(new Date(now + seconds * 1000).toISOString(), now)
  expect(at(-180)).toBe('3 minutes ago')
  expect(at(2 * 86_400)).toBe('in 2 days')
  expect(at(-30)).toBe('just now')
  expect(at(30)).toBe('now')
  expect(formatNext(new Date(now - 30_000).toISOString(), now)).toBe('now')
})

test('a day without a time zone is the same day for every reader', () => {
  expect(new Date('2026-01-31T00:00:00Z').getDate()).toBe(30)
  expect(formatDay('2026-01-31')).toBe('Jan 31, 2026')
})

test('a day of the service, which counts in UTC, begins at a time of the reader', () => {
  expect(formatDayStart()).toMatch(/^1:00\sPM$/)
})

test('money is written from minor units with the decimals of its currency', () => {
  expect(formatMoney(1250, 'usd')).toContain('12.50')
  expect(formatMoney(1250, 'jpy')).toContain('1,250')
})

test('sizes count 1024 bytes to the kilobyte', () => {
  expect(formatBytes(64 * 1024 ** 2)).toBe('64 MB')
  expect(formatBytes(1536)).toBe('1.5 kB')
  expect(formatBytes(1023)).toBe('1,023 bytes')
  expect(formatBytes(0)).toBe('0 bytes')
  expect(formatBytes(1024 ** 3)).toBe('1 GB')
  expect(formatBytes(20_000_000_000, 1000)).toBe('20 GB')
  expect(formatBytes(1000, 1000)).toBe('1 kB')
})

test('durations are in milliseconds below a second and in seconds from there on', () => {
  expect(formatDuration(999)).toBe('999 ms')
  expect(formatDuration(1000)).toBe('1 sec')
  expect(formatDuration(1549)).toBe('1.5 sec')
})
