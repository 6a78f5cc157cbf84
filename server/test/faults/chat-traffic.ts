import { setTimeout as sleep } from 'node:timers/promises'
import { readFrames } from '#test/support/chat/chat-service.ts'
import type { Environment } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'

/** The credentials for chats with a running service. */
export interface Caller {
  readonly model: string
  readonly key: string
}

/** A turn whose complete answer reached its caller. It must stay stored. */
export interface Acknowledged {
  readonly sessionId: string
  readonly said: string
  readonly answer: string
  /** When the answer had arrived, as `performance.now()` counts. */
  readonly at: number
}

export async function makeCaller(environment: Environment): Promise<Caller> {
  const agent = await callOperation(environment, 'create_app', {
    name: 'Faults',
    model: 'openai/mock',
  })
  const { key } = await callOperation(environment, 'create_chat_key', {
    app_id: agent.id,
    name: 'faults',
  })
  return { model: agent.app_name_id, key }
}

/** Generates chat traffic and records the outcome of its turns. */
export class Traffic {
  readonly acknowledged: Acknowledged[] = []
  readonly refusals = new Map<number, number>()
  /** Turns whose connection broke before their answer. They may or may not be stored. */
  broken = 0
  /** The longest that a caller waited for a refusal. */
  slowestRefusalMs = 0
  /** Streams that ended properly, but with an error instead of `[DONE]`. */
  unfinished = 0
  private readonly caller: Caller
  private readonly origin: string
  private readonly stopping = new AbortController()
  private readonly workers: Promise<void>[]
  private static turns = 0

  /** Runs `concurrency` turns at a time until `stop`. */
  constructor(origin: string, caller: Caller, concurrency: number) {
    this.origin = origin
    this.caller = caller
    this.workers = Array.from({ length: concurrency }, (_, worker) => this.work(worker))
  }

  /** Turns that ended without a complete answer. */
  get failed(): number {
    const refused = [...this.refusals.values()].reduce((sum, count) => sum + count, 0)
    return refused + this.broken + this.unfinished
  }

  get tries(): number {
    return this.acknowledged.length + this.failed
  }

  /**
   * Waits for this many more acknowledged turns. A service that does not recover fails here.
   *
   * @returns how long it took, in ms
   */
  async untilMore(turns: number): Promise<number> {
    const startedAt = performance.now()
    const enough = this.acknowledged.length + turns
    await until('the service answers', () => this.acknowledged.length >= enough)
    return performance.now() - startedAt
  }

  /** Waits for this many more turns that are refused with 503. */
  async untilRefused(turns: number): Promise<void> {
    const refused = () => this.refusals.get(503) ?? 0
    const enough = refused() + turns
    await until('turns are refused', () => refused() >= enough)
  }

  /** Starts no new turns, and resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.workers)
  }

  /** Every third turn begins a session, and every second one streams. */
  private async work(worker: number): Promise<void> {
    let sessionId: string | null = null
    for (let n = worker; !this.stopping.signal.aborted; n++) {
      try {
        sessionId = await this.turn(n % 3 === 0 ? null : sessionId, n % 2 === 0)
      } catch {
        this.broken += 1 // fetch rejects when the connection breaks.
        sessionId = null
        await sleep(20)
      }
    }
  }

  /** @returns the session to continue */
  private async turn(sessionId: string | null, stream: boolean): Promise<string | null> {
    const said = `turn ${++Traffic.turns}`
    const startedAt = performance.now()
    const response = await fetch(`${this.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.caller.key}`,
        'content-type': 'application/json',
        ...(sessionId === null ? {} : { 'x-chat-session-id': sessionId }),
      },
      body: JSON.stringify({
        model: this.caller.model,
        messages: [{ role: 'user', content: said }],
        stream,
      }),
      signal: AbortSignal.timeout(120_000),
    })
    if (response.status !== 200) {
      this.refusals.set(response.status, (this.refusals.get(response.status) ?? 0) + 1)
      this.slowestRefusalMs = Math.max(this.slowestRefusalMs, performance.now() - startedAt)
      await response.arrayBuffer()
      await sleep(20)
      return null
    }
    const answer = stream ? await streamed(response) : await whole(response)
    const session = response.headers.get('x-chat-session-id')
    if (answer === null || session === null) {
      this.unfinished += 1
      return null
    }
    this.acknowledged.push({ sessionId: session, said, answer, at: performance.now() })
    return session
  }
}

async function whole(response: Response): Promise<string> {
  // The format of a chat completion.
  const body = (await response.json()) as { choices: [{ message: { content: string } }] }
  return body.choices[0].message.content
}

/** @returns null for a stream that ended without `[DONE]` */
async function streamed(response: Response): Promise<string | null> {
  const frames = await readFrames(response)
  if (frames.at(-1)?.done !== true) return null
  // The format of a chunk.
  const chunks = frames as { choices?: [{ delta: { content?: string } }] }[]
  return chunks.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join('')
}
