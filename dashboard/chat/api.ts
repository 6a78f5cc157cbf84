import { awaitCaptcha } from './await-captcha.ts'
import { prove } from './proof.ts'
import type { PageData } from './page-data.ts'

export interface Citation {
  readonly title: string
  readonly url: string | null
  readonly page: number | null
  readonly heading: string
  readonly passage: string
}

/** An action that waits for the visitor's consent. */
export interface Awaiting {
  readonly title: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A file as the page sends it. */
export interface SentFile {
  readonly name: string
  /** A `data:` URL in base64. */
  readonly data: string
}

export interface StoredMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Whether it had files. */
  readonly attached: boolean
  readonly citations: readonly Citation[]
  readonly rating: 'up' | 'down' | null
  readonly incomplete: boolean
}

export interface StoredConversation {
  readonly messages: readonly StoredMessage[]
  readonly next_cursor: string | null
  readonly confirm: readonly Awaiting[]
}

export interface ListedConversation {
  readonly id: string
  readonly question: string
  /** Epoch milliseconds. */
  readonly last_message_at: number
}

export type AnswerEvent =
  /** The browser solves a proof of work before the message is accepted. */
  | { readonly type: 'checking' }
  /** The visitor solves a captcha, in a window that `open` opens, before the message is accepted. */
  | { readonly type: 'captcha'; readonly open: () => void }
  | { readonly type: 'start'; readonly conversation_id: string; readonly message_id: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'done'
      readonly citations: readonly Citation[]
      readonly confirm: readonly Awaiting[]
    }
  | ({ readonly type: 'error' } & Refusal)

interface Refusal {
  readonly code: string
  readonly limit?: number
  readonly retry_after?: number
  /** Of the proof of work that the server requires. */
  readonly challenge?: string
  readonly bits?: number
  /** The address of the captcha that the server requires. */
  readonly check?: string
}

export class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

/** A token is renewed this long before its end. */
const marginMs = 3 * 60_000
/** A token with less is not renewed: what it rests on ends, such as a person's identity. */
const leastMs = 10_000

/** The requests of the page. They carry the visitor's token, never a cookie. */
export class Api {
  readonly #base: string
  #token = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  readonly #ended: () => void

  /** @param ended the token has ended, and cannot be renewed */
  constructor({ base }: PageData, ended: () => void) {
    this.#base = base
    this.#ended = ended
  }

  /** @param endsIn milliseconds until the token ends */
  use(token: string, endsIn: number): void {
    this.#token = token
    this.#renewIn(endsIn)
  }

  async get<Answer>(path: string): Promise<Answer> {
    // The server answers with the form that the caller names: see surfaces/public.
    return (await (await this.#send(path)).json()) as Answer
  }

  async post(path: string, body: object): Promise<void> {
    await this.#send(path, body)
  }

  /** The events of an answer. */
  async *answer(
    question: {
      readonly text: string
      readonly conversation_id: string | null
      readonly files?: readonly SentFile[]
      /** The id of an earlier message, which is asked again with its files. */
      readonly again?: string
    },
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const response = yield* this.#ask(question, signal)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { done = true, value = '' } = (await reader?.read()) ?? {}
      if (done) return
      const frames = (rest + value).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames)
        if (frame.startsWith('data: ')) yield JSON.parse(frame.slice(6)) as AnswerEvent
    }
  }

  /**
   * While the agent receives many messages, each needs a proof of work or a captcha. If the captcha's
   * provider does not answer, the server then requires a proof.
   */
  async *#ask(question: object, signal: AbortSignal): AsyncGenerator<AnswerEvent, Response> {
    const asked = new Set<'challenge' | 'check'>()
    for (let sent = question; ;) {
      try {
        return await this.#send('/messages', sent, signal)
      } catch (error) {
        const { challenge, bits = 0, check } = error instanceof Refused ? error.refusal : {}
        if (challenge !== undefined && !asked.has('challenge')) {
          asked.add('challenge')
          yield { type: 'checking' }
          sent = { ...question, proof: await prove(challenge, bits) }
        } else if (check !== undefined && asked.size === 0) {
          asked.add('check')
          const captcha = awaitCaptcha(check, signal)
          yield { type: 'captcha', open: captcha.open }
          sent = { ...question, proof: await captcha.token }
          yield { type: 'checking' }
        } else throw error
      }
    }
  }

  async #send(path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(this.#base + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'omit',
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
    if (response.ok) return response
    throw new Refused(await refusalOf(response))
  }

  #renewIn(endsIn: number): void {
    clearTimeout(this.#timer)
    // Near the end of what it rests on, each new token is shorter than the one before.
    this.#timer =
      endsIn < leastMs
        ? setTimeout(this.#ended, endsIn)
        : setTimeout(() => void this.#renew(), Math.max(endsIn - marginMs, endsIn / 2))
  }

  async #renew(): Promise<void> {
    try {
      const response = await this.#send('/visit', {})
      const { token, ends_in } = (await response.json()) as { token: string; ends_in: number }
      this.use(token, ends_in)
    } catch (error) {
      // Without a connection, the next message finds out.
      if (error instanceof Refused && error.refusal.code === 'visit_ended') this.#ended()
    }
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  try {
    const { error } = (await response.json()) as { error: Refusal }
    return error
  } catch {
    // A proxy answered instead of the service.
    return { code: 'failed' }
  }
}
