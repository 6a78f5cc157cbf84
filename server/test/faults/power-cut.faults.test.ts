import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRecord, type RecordedEvent } from './power-cut-record.ts'
import { losses, randomNumbers, stateAfter, type DiskState, type Loss } from './power-cut-states.ts'
import { recordFault } from './record-fault.ts'

const run = promisify(execFile)
const points = Number(process.env.POWER_CUTS ?? 300)
const roundsPerWriter = 40
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

// The recorder is a library that the C compiler builds for the C library of this machine.
describe.skipIf(!hasCompiler)('a power cut (needs Linux and a C compiler, `cc`)', () => {
  let folder = ''
  let initial: Buffer = Buffer.alloc(0)
  let events: RecordedEvent[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-power-'))
    const recorded = join(folder, 'data')
    await mkdir(recorded)
    const file = join(recorded, 'parley.sqlite')
    createDatabase(file)
    initial = await readFile(file)
    const recorder = join(folder, 'recorder.so')
    const source = join(import.meta.dirname, 'power-cut-recorder.c')
    await run('cc', ['-shared', '-fPIC', '-O1', '-o', recorder, source, '-ldl', '-lpthread'])
    const record = join(folder, 'record')
    const writer = join(import.meta.dirname, 'power-cut-writer.ts')
    const { stderr } = await run(process.execPath, [writer, recorded, String(roundsPerWriter)], {
      env: { ...process.env, LD_PRELOAD: recorder, RECORDED_FOLDER: recorded, RECORD: record },
    })
    expect(stderr).toBe('')
    events = readRecord(await readFile(record))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is simulated over checkpoints, new logs and deleted logs', () => {
    const count = (wanted: Partial<RecordedEvent>) =>
      events.filter((event) =>
        Object.entries(wanted).every(([key, value]) => event[key as keyof RecordedEvent] === value),
      ).length
    expect(count({ kind: 'E', file: 'L', call: 'd' })).toBeGreaterThan(50)
    expect(count({ kind: 'E', file: 'D' })).toBeGreaterThan(4)
    expect(count({ kind: 'W', file: 'L', offset: 0 })).toBeGreaterThan(3)
    expect(count({ kind: 'U', file: 'L' })).toBe(2)
    expect(acknowledgedBefore(events, events.length).size).toBe(2 * 8 * roundsPerWriter)
  })

  test(`at ${points} moments loses no unit that was acknowledged or shown`, async () => {
    const random = randomNumbers(14)
    for (const [at, loss] of cuts(events, random)) {
      const state = stateAfter(events, at, initial, loss, random)
      const lost = await lostUnits(folder, state, acknowledgedBefore(events, at))
      expect(lost, `the disk ${loss} after event ${at} of ${events.length}`).toEqual([])
    }
    recordFault({
      fault: 'A power cut, simulated at moments of the write-ahead log and its checkpoints',
      engine: 'sqlite',
      tries: points,
      lost: 0,
      failed: 0,
      healthyAfterMs: 0,
    })
  })

  test('loses units when a flush is left out, so that the simulation can show a loss', async () => {
    const random = randomNumbers(14)
    const flushless = events.filter(({ file, call }) => file !== 'L' || call !== 'd')
    let lost = 0
    for (const [at, loss] of cuts(flushless, random).filter(([, kind]) => kind === 'drops all')) {
      const state = stateAfter(flushless, at, initial, loss, random)
      lost += (await lostUnits(folder, state, acknowledgedBefore(flushless, at))).length
    }
    expect(lost).toBeGreaterThan(10)
  })
})

function createDatabase(file: string): void {
  using raw = new DatabaseSync(file)
  raw.exec('pragma journal_mode = wal')
  raw.exec('create table sequences (name text primary key, next_value integer not null)')
}

/** Moments at random, and around the ends of flushes, each with another loss. */
function cuts(events: readonly RecordedEvent[], random: () => number): [number, Loss][] {
  const flushes = events.flatMap(({ kind }, index) => (kind === 'E' || kind === 'U' ? [index] : []))
  return Array.from({ length: points }, (_, n) => {
    const flush = flushes[Math.floor(random() * flushes.length)] ?? 0
    const anywhere = Math.ceil(random() * events.length)
    const at = n % 2 === 0 ? anywhere : Math.min(events.length, flush + Math.floor(random() * 4))
    return [at, losses[Math.floor(n / 2) % losses.length] ?? 'drops all']
  })
}

function acknowledgedBefore(events: readonly RecordedEvent[], at: number): Set<string> {
  const acknowledged = new Set<string>()
  for (const { kind, file, data } of events.slice(0, at))
    if (kind === 'W' && file === 'A')
      for (const name of data.toString().split('\n')) if (name !== '') acknowledged.add(name)
  return acknowledged
}

/** Opens the database as it would be after a restart. */
async function lostUnits(
  folder: string,
  { database, log }: DiskState,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const file = join(folder, 'restarted.sqlite')
  for (const name of [`${file}-shm`, `${file}-wal`]) await rm(name, { force: true })
  await writeFile(file, database)
  if (log !== null) await writeFile(`${file}-wal`, log)
  using raw = new DatabaseSync(file)
  expect(raw.prepare('pragma integrity_check(1)').get()?.integrity_check).toBe('ok')
  const stored = new Set(
    raw
      .prepare('select name from sequences')
      .all()
      .map(({ name }) => String(name).split(' ')[0]),
  )
  return [...acknowledged].filter((name) => !stored.has(name))
}
