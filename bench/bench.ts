/**
 * Measures Parley on both engines beside other servers, in one run that takes turns between them:
 * `npm run bench -- [options]`. The README beside it lists the settings and options.
 */
import { startGenerator } from './chat/generator.ts'
import { stages } from './settings/stages.ts'
import { startBenchPostgres } from './subjects/postgres.ts'
import { subjectNames } from './subjects/subject.ts'
import { addTo, readEarlier } from './suite/add-results.ts'
import { commitOf, describeMachine, describeTree, peerVersions } from './suite/machine.ts'
import { readOptions } from './suite/options.ts'
import { metrics, type Measurement, type Metric } from './suite/results.ts'
import { writeResults } from './suite/write-results.ts'

const options = readOptions(process.argv.slice(2))
const wanted = new Set(options.only.length > 0 ? options.only : stages.flatMap((s) => s.settings))
requireKnown(
  '--only',
  wanted,
  stages.flatMap((stage) => stage.settings),
)
requireKnown('--subjects', options.subjects, Object.keys(subjectNames))

const startedAt = new Date()
const tree = describeTree()
const base = options.base === null ? null : commitOf(options.base)
const { rounds, seconds, quick } = options
const conditions = {
  tree,
  machine: describeMachine(),
  peers: peerVersions(),
  options: { rounds, seconds, quick, base },
}
const earlier = options.adds ? await readEarlier(options.output, conditions) : null
const measurements: Measurement[] = []
const notes: string[] = []
const generator = await startGenerator()
const found = await startBenchPostgres()
if (typeof found === 'string') note(found)
const postgres = typeof found === 'string' ? null : found
try {
  for (const stage of stages) {
    if (!stage.settings.some((setting) => wanted.has(setting))) continue
    try {
      await stage.run({ options, generator, postgres, record, note }, wanted)
    } catch (error) {
      // The other stages can still be measured.
      process.exitCode = 1
      note(`${stage.settings.join(', ')}: not all was measured, because it failed`, error)
    }
    await write()
  }
} finally {
  generator.stop()
  await postgres?.stop()
}
// A server whose set-up failed would keep this process alive.
process.exit()

function record(measurement: Measurement): void {
  measurements.push(measurement)
  const { setting, case: name, subject, round, values } = measurement
  const numbers = Object.entries(values).map(
    // The keys are those of the table of metrics.
    ([metric, value]) => `${metrics[metric as Metric]} ${Number(value.toPrecision(4))}`,
  )
  console.log(`${setting} · ${name} · ${subject} · round ${round}: ${numbers.join(', ')}`)
}

function note(sentence: string, reason?: unknown): void {
  notes.push(sentence)
  console.error(reason === undefined ? sentence : `${sentence}: ${String(reason)}`)
}

async function write(): Promise<void> {
  const minutes = Math.round((Date.now() - startedAt.getTime()) / 60_000)
  const now = { ...conditions, startedAt: startedAt.toISOString(), minutes, measurements, notes }
  await writeResults(options.output, earlier === null ? now : addTo(earlier, now))
}

function requireKnown(option: string, given: Iterable<string>, known: readonly string[]): void {
  for (const name of given)
    if (!known.includes(name)) throw new Error(`${option} ${name}: use some of ${known.join(', ')}`)
}
