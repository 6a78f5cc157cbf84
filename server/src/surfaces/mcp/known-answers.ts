import { headOf, type Head } from './answer.ts'
import type { RpcId } from './environment.ts'

/** The headers of a POST that the SDK reads. */
const headersRead = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
]

/** Clients send a few forms; the oldest is forgotten for those with a value that always changes. */
const mostForms = 500
/** In characters. A longer request is answered by the SDK each time. */
const longestForm = 2_000

/** A successful JSON answer, around the id of the request. */
interface KnownAnswer {
  readonly head: Head
  readonly beforeId: string
  readonly afterId: string
}

/**
 * Answers of the SDK to requests that differ only in their id: it answers the first of each form.
 * Creating its server and transport for a request costs more than everything else in the request.
 */
export class KnownAnswers {
  readonly #known = new Map<string, KnownAnswer>()

  /**
   * @param message the request, without what its answer does not depend on
   * @param respond has the SDK answer it
   */
  async answer(
    request: Request,
    message: object,
    id: RpcId,
    respond: () => Promise<Response>,
  ): Promise<{ readonly head: Head; readonly text: string }> {
    const form = formOf(request, message)
    const known = isAccepted(id) ? this.#known.get(form) : undefined
    if (known !== undefined) {
      const text = `${known.beforeId}${JSON.stringify(id)}${known.afterId}`
      return { head: known.head, text }
    }
    const response = await respond()
    const head = headOf(response)
    const text = await response.text()
    if (head.status === 200 && form.length <= longestForm)
      this.#learn(form, aroundId(text, id, head))
    return { head, text }
  }

  #learn(form: string, answer: KnownAnswer | null): void {
    if (answer === null) return
    const [oldest] = this.#known.keys()
    if (this.#known.size >= mostForms && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(form, answer)
  }
}

/** True for an id that the SDK accepts in any request: text, or a whole number. */
function isAccepted(id: RpcId): boolean {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

/** Everything that the SDK's answer depends on, except the id. */
function formOf(request: Request, message: object): string {
  const headers = headersRead.map((name) => request.headers.get(name))
  return JSON.stringify([headers, { ...message, id: undefined }])
}

/** @returns null if the text does not contain the id exactly once */
function aroundId(text: string, id: RpcId, head: Head): KnownAnswer | null {
  const [before, after, ...others] = text.split(`"id":${JSON.stringify(id)}`)
  if (before === undefined || after === undefined || others.length > 0) return null
  if (!/^[,}]/.test(after)) return null
  return { head, beforeId: `${before}"id":`, afterId: after }
}
