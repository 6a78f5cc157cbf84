import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { percentile } from '../suite/statistics.ts'

interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** `{n}` becomes a number that no other request has. */
  readonly body: string
}

/** What the load generator sends, and where to. */
export interface Target extends Request {
  readonly origin: string
  readonly stream: boolean
  /** The default is POST. */
  readonly method?: 'GET' | 'POST'
  /** What the first packet with text contains, if it is not OpenAI's. */
  readonly firstText?: string
  /** How many turns a caller has in one session before it begins the next. The default is one. */
  readonly turnsPerSession?: number
  /** What differs from request to request. They take turns. */
  readonly variants?: readonly Partial<Request>[]
}

/** The settings of one run of the load generator. */
export interface LoadPlan extends Target {
  readonly concurrency: number
  /** A caller that is waiting at the end still gets its answer, so 0 is one request of each. */
  readonly seconds: number
  /** The callers begin one after the other within this time; all at once by default. */
  readonly spreadMs?: number
}

export interface LoadResult {
  readonly answers: number
  readonly failures: number
  /** Why the first one failed. */
  readonly failure: string | null
  readonly perSecond: number
  /** Milliseconds until the answer is complete. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds to the first chunk with text. Without streaming it equals the above. */
  readonly firstP50: number
  readonly firstP99: number
  /** The longest time between two packets of one answer, in milliseconds. */
  readonly longestGap: number
}

/** Counts all requests of this process. */
let sent = 0

/** A closed loop: `concurrency` callers, each of which sends its next request after its answer. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const pool = new Pool(plan.origin, {
    connections: plan.concurrency,
    pipelining: 1,
    // A thousand connections at once take a busy machine some time.
    connectTimeout: 60_000,
  })
  const wholes: number[] = []
  const firsts: number[] = []
  let failures = 0
  let failure: string | null = null
  let longestGap = 0
  const startedAt = performance.now()
  const endsAt = startedAt + plan.seconds * 1000
  const caller = async (_: unknown, index: number) => {
    await sleep(((plan.spreadMs ?? 0) * index) / plan.concurrency)
    let sessionId: string | null = null
    let turn = 0
    do {
      if (turn === 0) sessionId = null
      const askedAt = performance.now()
      const answer = await ask(pool, plan, sessionId)
      if (typeof answer === 'string') {
        failures += 1
        failure ??= answer
      } else {
        firsts.push(answer.firstAt - askedAt)
        wholes.push(performance.now() - askedAt)
        longestGap = Math.max(longestGap, answer.longestGap)
        sessionId = answer.sessionId
      }
      turn = (turn + 1) % (plan.turnsPerSession ?? 1)
    } while (performance.now() < endsAt)
  }
  await Promise.all(Array.from({ length: plan.concurrency }, caller))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return {
    answers: wholes.length,
    failures,
    failure,
    perSecond: wholes.length / seconds,
    p50: percentile(wholes, 0.5),
    p99: percentile(wholes, 0.99),
    firstP50: percentile(firsts, 0.5),
    firstP99: percentile(firsts, 0.99),
    longestGap,
  }
}

interface Answer {
  /** When the first text arrived. */
  readonly firstAt: number
  readonly longestGap: number
  readonly sessionId: string | null
}

const sessionHeader = 'x-chat-session-id'

/** @returns why it failed, unless the answer was a complete one */
async function ask(pool: Pool, plan: Target, session: string | null): Promise<Answer | string> {
  const n = sent++
  const { path, headers, body } = { ...plan, ...plan.variants?.[n % plan.variants.length] }
  try {
    const response = await pool.request({
      method: plan.method ?? 'POST',
      path,
      headers: session === null ? { ...headers } : { ...headers, [sessionHeader]: session },
      body: body === '' ? null : body.replace('{n}', `${process.pid}-${n}`),
    })
    const text = plan.stream ? (plan.firstText ?? '"content":"w') : ''
    let firstAt: number | null = null
    let lastAt: number | null = null
    let longestGap = 0
    for await (const packet of response.body) {
      const now = performance.now()
      if (lastAt !== null) longestGap = Math.max(longestGap, now - lastAt)
      lastAt = now
      // undici's bodies consist of buffers.
      if (firstAt === null && (packet as Buffer).includes(text)) firstAt = now
    }
    if (response.statusCode >= 300) return `status ${response.statusCode}`
    if (firstAt === null) return 'no text'
    const sessionId = response.headers[sessionHeader]
    return { firstAt, longestGap, sessionId: typeof sessionId === 'string' ? sessionId : null }
  } catch (error) {
    return String(error)
  }
}

// The generator is a separate process, so that its pauses are not mistaken for the service's.
process.on('message', (plan: LoadPlan) => {
  void runLoad(plan).then((result) => process.send?.(result))
})
