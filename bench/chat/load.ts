import { Pool } from 'undici'

/** What one run of the load generator is told. */
export interface LoadPlan {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly stream: boolean
  readonly concurrency: number
  readonly seconds: number
}

export interface LoadResult {
  readonly answers: number
  readonly failures: number
  readonly perSecond: number
  /** Milliseconds to the whole answer. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds to the first chunk with text; equals the above where nothing streams. */
  readonly firstP50: number
  readonly firstP99: number
}

/** A closed loop: `concurrency` callers, each asking again as soon as it is answered. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const pool = new Pool(plan.origin, { connections: plan.concurrency, pipelining: 1 })
  const wholes: number[] = []
  const firsts: number[] = []
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + plan.seconds * 1000
  const caller = async () => {
    while (performance.now() < endsAt) {
      const askedAt = performance.now()
      const firstAt = await ask(pool, plan)
      if (firstAt === null) failures += 1
      else {
        firsts.push(firstAt - askedAt)
        wholes.push(performance.now() - askedAt)
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

/** @returns when the first text came, or null when the answer was not a whole 200 */
async function ask(pool: Pool, { path, headers, body, stream }: LoadPlan): Promise<number | null> {
  const response = await pool.request({ method: 'POST', path, headers, body })
  let firstAt: number | null = null
  for await (const packet of response.body)
    if (firstAt === null && (!stream || (packet as Buffer).includes(text)))
      firstAt = performance.now()
  return response.statusCode === 200 ? firstAt : null
}

function percentiles(values: number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return [at(0.5), at(0.99)]
}

// The generator is a process of its own: its pauses must not be mistaken for the service's.
process.on('message', (plan: LoadPlan) => {
  void runLoad(plan).then((result) => process.send?.(result))
})
