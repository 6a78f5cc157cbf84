/**
 * What a cap of credits costs: whole turns of a workspace without one and of one with a cap that it
 * never reaches, in turns in one run. Every turn of the latter changes the same row of
 * `credit_windows` twice.
 *
 *   node bench/capped.ts sqlite|postgres [callers] [rounds] [seconds]
 */
import { startGenerator } from './chat/generator.ts'
import { startBenchPostgres } from './subjects/postgres.ts'
import { parleySubject } from './subjects/start-subjects.ts'

const [engine = 'sqlite', callers = '32', rounds = '4', seconds = '5'] = process.argv.slice(2)
const generator = await startGenerator()
const found = engine === 'postgres' ? await startBenchPostgres() : null
if (typeof found === 'string') throw new Error(found)
const name = found === null ? 'sqlite' : 'postgres'
const { modelUrl } = generator
const services = {
  free: await parleySubject(name, { modelUrl }, found),
  capped: await parleySubject(name, { modelUrl }, found),
}
try {
  const cap = { subject: 'workspace', period: 'month', credits: 1_000_000 }
  await services.capped.call('set_credit_cap', cap)
  const load = (service: typeof services.free, time: number) => {
    const question = { messages: 1, model: 'mock', stream: false } as const
    return generator.load(service.ask(question), Number(callers), time)
  }
  for (const service of Object.values(services)) await load(service, 3)
  console.log(
    '| Workspace | Turns/s | p50 ms | p99 ms | CPU µs, service | CPU µs, server | Failed |',
  )
  for (let round = 0; round < Number(rounds); round += 1)
    for (const [title, service] of Object.entries(services)) {
      const before = [await service.ownCpu(), (await found?.cpu()) ?? 0]
      const result = await load(service, Number(seconds))
      const after = [await service.ownCpu(), (await found?.cpu()) ?? 0]
      const cpu = after.map((at, n) =>
        (((at - (before[n] ?? 0)) * 1e6) / result.answers).toFixed(0),
      )
      const cells = [title, result.perSecond.toFixed(0), result.p50.toFixed(1)]
      console.log(
        `| ${[...cells, result.p99.toFixed(1), ...cpu, String(result.failures)].join(' | ')} |`,
      )
    }
} finally {
  for (const service of Object.values(services)) await service.stop()
  generator.stop()
  await found?.stop()
}
