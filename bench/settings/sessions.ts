import { Pool } from 'undici'
import type { Target } from '../chat/load.ts'
import { enginesOf, type BenchEngine } from '../subjects/engines.ts'
import { parleySubject } from '../subjects/start-subjects.ts'
import { count } from '../suite/case-names.ts'
import { percentile } from '../suite/statistics.ts'
import type { Run, Stage } from '../suite/run.ts'

const measuredTurns = 100

/** The next turns of sessions that already have many. One caller, because a session has one turn at a time. */
export const sessions: Stage = {
  settings: ['sessions'],
  async run(run) {
    for (const engine of enginesOf(run)) await measureEngine(run, engine)
  },
}

async function measureEngine(run: Run, { name, postgres }: BenchEngine): Promise<void> {
  const { modelUrl } = run.generator
  const service = await parleySubject(name, { modelUrl }, postgres)
  const target = service.ask({ messages: 1, model: 'mock', stream: false })
  const pool = new Pool(target.origin, { connections: 1 })
  try {
    // Another short session compiles the code first.
    await talk(pool, target, null, 300)
    for (const turns of run.options.quick ? [10, 100] : [10, 1_000, 10_000]) {
      // A session of ten turns would be one of a hundred after it was measured once.
      const perSession = Math.min(measuredTurns, turns)
      const sessionCount = measuredTurns / perSession
      for (let round = 1; round <= run.options.rounds; round += 1) {
        const times: number[] = []
        for (let session = 0; session < sessionCount; session += 1) {
          const { id } = await talk(pool, target, null, turns)
          times.push(...(await talk(pool, target, id, perSession)).times)
        }
        const values = { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
        const of = `after ${count(turns, 'turn')}`
        run.record({ setting: 'sessions', case: of, subject: name, round, values })
      }
    }
  } finally {
    await pool.close()
    await service.stop()
  }
}

const sessionHeader = 'x-chat-session-id'

/** Has some turns of one session, one after the other, and returns how long each took. */
async function talk(pool: Pool, { path, headers, body }: Target, id: string | null, turns: number) {
  const times: number[] = []
  let session = id
  for (let turn = 0; turn < turns; turn += 1) {
    const askedAt = performance.now()
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { ...headers, ...(session !== null && { [sessionHeader]: session }) },
      body,
    })
    await response.body.dump()
    times.push(performance.now() - askedAt)
    if (response.statusCode !== 200) throw new Error(`a turn got status ${response.statusCode}`)
    session ??= String(response.headers[sessionHeader])
  }
  return { id: session, times }
}
