import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addTo, readEarlier } from './add-results.ts'
import type { Measurement, Results } from './results.ts'
import { writeResults } from './write-results.ts'

const measured = (setting: string, perSecond: number): Measurement => ({
  setting,
  case: '1 message, 1 caller',
  subject: 'sqlite',
  round: 1,
  values: { perSecond },
})

const results = (base: string | null, ...measurements: Measurement[]): Results => ({
  tree: { commit: 'abc', changed: false },
  machine: { cpu: 'a', cores: 2, memoryGb: 24, platform: 'linux-x64', node: '26.0.0' },
  peers: {},
  startedAt: '2026-01-01T00:00:00.000Z',
  minutes: 3,
  options: { rounds: 3, seconds: 3, quick: false, base },
  measurements,
  notes: ['a note'],
})

describe('results that are added to earlier ones', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  })
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  test('replace the settings that they measured, and keep the others', async () => {
    const earlier = results('def', measured('whole', 1), measured('disk', 2))
    await writeResults(folder, earlier)
    const now = results(null, measured('disk', 3), measured('tools', 4))
    const all = addTo(await readEarlier(folder, now), now)
    expect(all.measurements).toEqual([
      measured('whole', 1),
      measured('disk', 3),
      measured('tools', 4),
    ])
    expect(all).toMatchObject({ minutes: 6, options: { base: 'def' }, notes: ['a note'] })
  })

  test('are refused if anything but the base differs', async () => {
    const now = results(null)
    await writeResults(folder, results('def'))
    await expect(readEarlier(folder, now)).resolves.toBeDefined()
    for (const other of [
      { ...now, tree: { commit: 'abd', changed: false } },
      { ...now, tree: { commit: 'abc', changed: true } },
      { ...now, machine: { ...now.machine, cores: 4 } },
      { ...now, options: { ...now.options, seconds: 1 } },
    ])
      await expect(readEarlier(folder, other)).rejects.toThrow('--add needs results of this commit')
  })
})
