import { enginesOf, type BenchEngine } from '../subjects/engines.ts'
import { startBenchPostgres } from '../subjects/postgres.ts'
import { slowDisk } from '../subjects/slow-disk.ts'
import { parleySubject, type ParleySubject } from '../subjects/start-subjects.ts'
import { diskCase } from '../suite/case-names.ts'
import { measure, type Run, type Stage } from '../suite/run.ts'

type Disk = Parameters<typeof diskCase>[1]
type Environment = Readonly<Record<string, string>>

/** The same load on the disk as it is and on one whose flushes take longer, in turn. */
export const slow: Stage = {
  settings: ['disk'],
  async run(run) {
    const environment = await slowDisk()
    if (typeof environment === 'string') return run.note(environment)
    for (const engine of enginesOf(run)) await compareDisks(run, engine, environment)
  },
}

async function compareDisks(run: Run, engine: BenchEngine, slow: Environment): Promise<void> {
  const services: Partial<Record<Disk, ParleySubject>> = {}
  const server = engine.postgres === null ? null : await startBenchPostgres(slow)
  if (typeof server === 'string') return run.note(server)
  const { modelUrl } = run.generator
  const options = { modelUrl, ...(server === null && { launch: slow }) }
  try {
    services['this disk'] = await parleySubject(engine.name, { modelUrl }, engine.postgres)
    services['flush +10 ms'] = await parleySubject(engine.name, options, server)
    for (let round = 0; round <= run.options.rounds; round += 1)
      for (const callers of [32, 128])
        for (const [disk, service] of Object.entries(services)) {
          const target = service.ask({ messages: 1, model: 'mock', stream: false })
          const { seconds } = run.options
          const load = { target, callers, seconds, watchesHealth: true }
          const values = await measure(run, service, load)
          // Round 0 compiles the code.
          const name = diskCase(callers, disk as Disk)
          if (round > 0)
            run.record({ setting: 'disk', case: name, subject: engine.name, round, values })
        }
  } finally {
    await Promise.all(Object.values(services).map((service) => service.stop()))
    await server?.stop()
  }
}
