import { setTimeout as sleep } from 'node:timers/promises'
import { enginesOf } from '../subjects/engines.ts'
import { parleySubject } from '../subjects/start-subjects.ts'
import { memoryCase } from '../suite/case-names.ts'
import { measure, type Stage } from '../suite/run.ts'

const callers = 200
/** A process that checks passwords ends a minute after the last one. */
const settledMs = 75_000

/** A new service each round: what it needs at rest, and at most while it answers. */
export const memory: Stage = {
  settings: ['memory'],
  async run(run) {
    const { modelUrl } = run.generator
    // Round 0 fills the cache of compiled code, as the first start after an installation does.
    for (let round = 0; round <= run.options.rounds; round += 1)
      for (const { name, postgres } of enginesOf(run)) {
        const service = await parleySubject(name, { modelUrl }, postgres)
        try {
          // What starting needed is collected, and the processes that it started have ended.
          await sleep(run.options.quick ? 3_000 : settledMs)
          const restMb = await service.memory()
          const target = service.ask({ messages: 1, model: 'mock', stream: false })
          const { seconds } = run.options
          const values = await measure(run, service, { target, callers, seconds })
          if (round === 0) continue
          run.record({
            setting: 'memory',
            case: memoryCase,
            subject: name,
            round,
            values: { ...values, restMb, readySeconds: service.readySeconds },
          })
        } finally {
          await service.stop()
        }
      }
  },
}
