import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/support/until.ts'
import type { Caller } from './chat-traffic.ts'

/** A stream that is read as it arrives. */
export interface OpenStream {
  readonly sessionId: string
  /** The text so far. */
  text(): string
  /** The text that had arrived at this time, of `performance.now()`. */
  textAt(ms: number): string
  /** Resolves when the stream has ended: true with `[DONE]`, false if it broke or ended without. */
  readonly ended: Promise<boolean>
}

/** A turn that the service has refused, for example because it is busy. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`refused with ${status}`)
    this.status = status
  }
}

/** Begins a streamed turn and resolves with its headers. @throws Refused */
export async function openStream(
  origin: string,
  { model, key }: Caller,
  options: { readonly sessionId?: string; readonly signal?: AbortSignal } = {},
): Promise<OpenStream> {
  const { sessionId, signal = null } = options
  const response = await fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(sessionId === undefined ? {} : { 'x-chat-session-id': sessionId }),
    },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Go on' }] }),
    signal,
  })
  if (response.status !== 200) throw new Refused(response.status)
  const seen: { readonly at: number; readonly text: string }[] = []
  return {
    sessionId: response.headers.get('x-chat-session-id') ?? '',
    text: () => seen.at(-1)?.text ?? '',
    textAt: (ms) => seen.findLast(({ at }) => at <= ms)?.text ?? '',
    ended: read(response, (text) => seen.push({ at: performance.now(), text })).catch(() => false),
  }
}

/**
 * The same, again and again while the service is overloaded.
 *
 * @returns the stream, and how often it was refused
 */
export async function openStreamWhenAccepted(
  origin: string,
  caller: Caller,
): Promise<{ readonly stream: OpenStream; readonly refused: number }> {
  for (let refused = 0; ; refused += 1)
    try {
      return { stream: await openStream(origin, caller), refused }
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 503) throw error
      // As `Retry-After` says.
      await sleep(2_000)
    }
}

async function read(response: Response, onText: (text: string) => void): Promise<boolean> {
  const decoder = new TextDecoder()
  let rest = ''
  let text = ''
  let isDone = false
  for await (const bytes of response.body ?? []) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      if (frame === 'data: [DONE]') isDone = true
      text += textOf(frame)
    }
    onText(text)
  }
  return isDone
}

function textOf(frame: string): string {
  if (!frame.startsWith('data: {')) return ''
  // The format of a chunk; an error has no choices.
  const chunk = JSON.parse(frame.slice(6)) as { choices?: [{ delta: { content?: string } }?] }
  return chunk.choices?.[0]?.delta.content ?? ''
}

/** Sends whole turns until one is answered. @returns the milliseconds since `since` */
export async function answeredAfter(
  origin: string,
  { model, key }: Caller,
  since: number,
): Promise<number> {
  await until('a turn is answered', async () => {
    const response = await fetch(`${origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Are you there?' }] }),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => null)
    await response?.arrayBuffer()
    return response?.status === 200
  })
  return performance.now() - since
}
