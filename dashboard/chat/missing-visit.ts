import { byId, el } from './dom.ts'
import type { FromHost } from './host.ts'
import { textOf, type PageData } from './page-data.ts'
import { waitInWords } from './wait-in-words.ts'

const firstMs = 2000
const longestMs = 60_000
/** After that, about six minutes, only what the visitor sends tries again. */
const mostTries = 10

type Failure = Extract<FromHost, { readonly parley: 'failed' }>

/** While the host's page can begin no visit: what the visitor reads, and when it is tried again. */
export class MissingVisit {
  readonly #data: PageData
  readonly #announce: (text: string) => void
  readonly #again: () => void
  readonly #notice = el('p', { class: 'notice' })
  #timer: ReturnType<typeof setTimeout> | undefined
  #tries = 0

  /** @param again asks the host's page for a visit */
  constructor(data: PageData, announce: (text: string) => void, again: () => void) {
    this.#data = data
    this.#announce = announce
    this.#again = again
  }

  show({ code, retry_after: seconds = 0 }: Failure): void {
    const words = this.#wordsOf(code, seconds)
    if (this.#notice.textContent !== words) this.#announce(words)
    this.#notice.textContent = words
    byId('log').append(this.#notice)
    clearTimeout(this.#timer)
    if (this.#tries >= mostTries) return
    const pause = Math.min(firstMs * 2 ** this.#tries, longestMs)
    this.#tries += 1
    this.#timer = setTimeout(this.#again, Math.max(pause, seconds * 1000))
  }

  /** The visitor sends something. */
  tryNow(): void {
    if (!this.#notice.isConnected) return
    clearTimeout(this.#timer)
    this.#again()
  }

  /** There is a visit. */
  end(): void {
    clearTimeout(this.#timer)
    this.#tries = 0
    this.#notice.remove()
  }

  #wordsOf(code: string, seconds: number): string {
    if (code === 'offline') return textOf(this.#data, 'offline')
    if (seconds === 0) return textOf(this.#data, 'unavailable')
    return textOf(this.#data, 'limited', { when: waitInWords(this.#data.language, seconds) })
  }
}
