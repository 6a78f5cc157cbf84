import type { WidgetSettings } from './widget-view.ts'

/** What the service says about a visit that has begun. */
export interface Begun {
  readonly token: string
  readonly ends_in: number
  readonly browser: string
  /** Whether the visitor has the conversations that this browser had before. */
  readonly continues: boolean
  /** Names of the identity's claims that are not used. */
  readonly left_out?: readonly string[]
}

/** A request that failed: `offline` if it did not arrive, otherwise what the service says. */
export class Failure extends Error {
  readonly code: string
  readonly retryAfter: number | undefined

  constructor(code: string, retryAfter?: number) {
    super(code)
    this.code = code
    this.retryAfter = retryAfter
  }
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly retry_after?: number }
}

/** The requests of a widget from the host's page, which carry no cookie. */
export class WidgetRequests {
  readonly #base: string
  readonly #pass: string | null

  /** @param pass with which an editor embeds the widget on their own computer */
  constructor(base: string, pass: string | null) {
    this.#base = base
    this.#pass = pass
  }

  get frame(): string {
    return `${this.#base}/frame?${this.#editorQuery()}`
  }

  settings(): Promise<WidgetSettings> {
    return this.#fetch(`?${this.#editorQuery()}`)
  }

  /** @throws Failure */
  visit(browser: string | null, identity: string | null): Promise<Begun> {
    return this.#fetch('/visit', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ browser, identity, editor: this.#pass }),
    })
  }

  async #fetch<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.#base + path, { credentials: 'omit', ...init }).catch(() => {
      throw new Failure('offline')
    })
    // A proxy may answer instead of the service.
    const answer: unknown = await response.json().catch(() => null)
    // The server answers with the form that the caller names: see surfaces/public/widget.ts.
    if (response.ok && answer !== null) return answer as Answer
    const { code = 'failed', retry_after } = (answer as ErrorBody | null)?.error ?? {}
    throw new Failure(code, retry_after)
  }

  #editorQuery(): string {
    return this.#pass === null ? '' : `editor=${encodeURIComponent(this.#pass)}`
  }
}
