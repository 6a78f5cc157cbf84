import { Pool } from 'undici'

/** The settings of one run of the load generator. */
export interface LoadPlan {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly stream: boolean
  readonly concurrency: number
  readonly seconds: number
  /** How many turns a caller has in one session before it begins the next. The default is one. */
  readonly turnsPerSession?: number
}

export interface LoadResult {
  readonly answers: number
  readonly failures: number
  readonly perSecond: number
  /** Milliseconds until the answer is complete. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds to the first chunk with text. Without streaming it equals the above. */
  readonly firstP50: number
  readonly firstP99: number
}

/** A closed loop: `concurrency` callers, each of which sends its next request after its answer. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const pool = new Pool(plan.origin, { connections: plan.concurrency, pipelining: 1 })
  const wholes: number[] = []
  const firsts: number[] = []
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + plan.seconds * 1000
  const caller = async () => {
    const headers = { ...plan.headers }
    for (
      let turn = 0;
      performance.now() < endsAt;
      turn = (turn + 1) % (plan.turnsPerSession ?? 1)
    ) {
      if (turn === 0) delete headers[sessionHeader]
      const askedAt = performance.now()
      const answer = await ask(pool, { ...plan, headers })
      if (answer === null) failures += 1
      else {
        firsts.push(answer.firstAt - askedAt)
        wholes.push(performance.now() - askedAt)
        if (answer.sessionId !== null) headers[sessionHeader] = answer.sessionId
      }
    }
  }
  await Promise.all(Array.from({ length: plan.concurrency }, caller))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  const [p50, p99] = percentiles(wholes)
  const [firstP50, firstP99] = percentiles(firsts)
  const perSecond = wholes.length / seconds
  return { answers: wholes.length, failures, perSecond, p50, p99, firstP50, firstP99 }
}

const text = Buffer.from('"content":"w')

interface Answer {
  /** When the first text arrived. */
  readonly firstAt: number
  readonly sessionId: string | null
}

const sessionHeader = 'x-chat-session-id'

/** @returns null if the answer was not a complete 200 */
async function ask(pool: Pool, { path, headers, body, stream }: LoadPlan): Promise<Answer | null> {
  const response = await pool.request({ method: 'POST', path, headers, body })
  let firstAt: number | null = null
  for await (const packet of response.body)
    if (firstAt === null && (!stream || (packet as Buffer).includes(text)))
      firstAt = performance.now()
  if (response.statusCode !== 200 || firstAt === null) return null
  const sessionId = response.headers[sessionHeader]
  return { firstAt, sessionId: typeof sessionId === 'string' ? sessionId : null }
}

function percentiles(values: number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return [at(0.5), at(0.99)]
}

// The generator is a separate process, so that its pauses are not mistaken for the service's.
process.on('message', (plan: LoadPlan) => {
  void runLoad(plan).then((result) => process.send?.(result))
})
