import { Failure, WidgetRequests } from './widget-requests.ts'
import { WidgetView, type WidgetSettings } from './widget-view.ts'
import type { FromHost, ToHost } from './host.ts'
import { isFirstPage, whenIdle, whenLoaded, whenParsed } from './widget-idle.ts'
import { opensOnRule } from './widget-rules.ts'
import { keepInTab, read, readTab, write } from './widget-storage.ts'

/**
 * The loader of the widget, on the pages of a host: `<script async src="…/chat-assets/widget.js"
 * data-key="ppk_…">`. It draws a button; the chat itself is a frame that is loaded when it opens.
 */

type Listener = (detail: unknown) => void
type Command = readonly [name: string, ...rest: unknown[]]

/** `window.parley`: calls that are made before the loader runs wait in `q`. */
interface Parley {
  (...command: Command): void
  q?: ArrayLike<unknown>[]
  isReady?: true
}

declare global {
  interface Window {
    parley?: Parley
  }
}

class Widget {
  readonly #key: string
  readonly #requests: WidgetRequests
  readonly #listeners = new Map<string, Set<Listener>>()
  #view: WidgetView | null = null
  #identity: string | null = null
  /** The newest request for a visit: answers of older ones are ignored. */
  #visits = 0
  #hasVisit = false
  /** Whether the frame sends nothing until it has its first visit, or another one. */
  #isHeld = true
  /** Whether the visit of an identified person begins when the frame is idle. */
  #isDue = false
  /** Whether a command has asked for the open widget before it was drawn. */
  #isWanted = false
  #isRemoved = false
  #hurry: () => void = () => undefined
  #endRules: () => void = () => undefined
  #asked: string[] = []

  constructor({ src, dataset }: HTMLScriptElement) {
    this.#key = dataset.key ?? ''
    const { href } = new URL(`../chat/widget/${encodeURIComponent(this.#key)}`, src)
    this.#requests = new WidgetRequests(href, dataset.editor ?? null)
  }

  /** Loads when the host's page has loaded and is idle, or at once when a command needs it. */
  async begin(): Promise<void> {
    const wanted = new Promise<void>((resolve) => (this.#hurry = resolve))
    if (this.#isWanted) this.#hurry()
    await Promise.race([wanted, whenLoaded().then(whenIdle)])
    if (this.#isRemoved) return
    const settings = await this.#requests.settings()
    await Promise.race([wanted, whenIdle()])
    await whenParsed()
    if (this.#isRemoved) return
    this.#draw(settings)
    // The first use of a storage blocks the page.
    await Promise.race([wanted, whenIdle()])
    if (!this.#isRemoved) this.#reopen(settings)
  }

  #draw(settings: WidgetSettings): void {
    this.#view = new WidgetView(settings, this.#requests.frame, {
      toggled: (isOpen) => this.#toggled(isOpen),
      received: (message) => this.#receive(message),
    })
    this.#emit('ready')
  }

  /** Opens the widget if a command wants it, if it was open on the page before, or on a rule. */
  #reopen(settings: WidgetSettings): void {
    const view = this.#view
    if (view === null || view.isLoaded) return
    if (this.#isWanted) return view.open()
    const tab = isFirstPage() ? {} : readTab(this.#key)
    // A person's conversation is not shown until the host has identified them. It may have done so already.
    const mayShow = tab.identified !== true || this.#identity !== null
    if (tab.open === true && mayShow) view.open(false)
    else if (tab.ruled !== true)
      this.#endRules = opensOnRule(settings, () => {
        if (readTab(this.#key).ruled !== true) view.open(false)
      })
  }

  run([name, given, listener]: Command): void {
    if (name === 'open') this.#open()
    else if (name === 'close') this.#close()
    else if (name === 'ask' && typeof given === 'string') this.#ask(given)
    else if (name === 'remove') this.#remove()
    else if (name === 'identify') this.#identify(typeof given === 'string' ? given : null)
    else if (name === 'on' && typeof given === 'string' && typeof listener === 'function')
      this.#listen(given, listener as Listener)
    else warn(`unknown command ${String(name)}`)
  }

  #open(): void {
    this.#isWanted = true
    this.#hurry()
    this.#view?.open()
  }

  #close(): void {
    this.#isWanted = false
    this.#view?.close()
  }

  /** Leaves nothing in the page; what the storages keep is for the visitor's next page. */
  #remove(): void {
    this.#isRemoved = true
    this.#endRules()
    this.#view?.remove()
    this.#view = null
    delete window.parley
  }

  #ask(text: string): void {
    this.#asked.push(text)
    this.#open()
    if (!this.#isHeld) this.#sendAsked()
  }

  #sendAsked(): void {
    for (const text of this.#asked.splice(0)) this.#post({ parley: 'ask', text })
  }

  #identify(identity: string | null): void {
    this.#identity = identity
    const { open, identified } = readTab(this.#key)
    if (this.#view?.isLoaded === true) this.#replaceVisit()
    else if (open === true && identified === true && identity !== null) this.#view?.open(false)
  }

  /**
   * Another visit ends an answer that is being written, and the token of a message that is on its way.
   * Only the frame knows whether there is one. When somebody signs out, nothing waits for it.
   */
  #replaceVisit(): void {
    // The answer to an older request would release the frame.
    this.#visits += 1
    this.#isHeld = true
    this.#isDue = this.#identity !== null
    this.#post({ parley: 'hold' })
    if (!this.#isDue) void this.#visit()
  }

  /** The frame sends what has waited. */
  #release(message: FromHost): void {
    this.#isHeld = false
    this.#post(message)
    this.#sendAsked()
  }

  #listen(name: string, listener: Listener): void {
    const known = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, known.add(listener))
    if (name === 'ready' && this.#view !== null) listener(undefined)
  }

  #emit(name: string, detail?: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(detail)
  }

  #toggled(isOpen: boolean): void {
    // Who has opened or closed it decides; no rule opens it again.
    this.#endRules()
    keepInTab(this.#key, { open: isOpen, ruled: true })
    this.#emit(isOpen ? 'open' : 'close')
  }

  #receive(message: ToHost): void {
    if (message.parley === 'ready' || message.parley === 'ended') void this.#visit()
    else if (message.parley === 'idle') {
      if (this.#isDue) void this.#visit()
    } else if (message.parley === 'close') this.#view?.close()
    else if (message.parley === 'conversation') keepInTab(this.#key, { conversation: message.id })
    else this.#emit(message.parley, 'rating' in message ? message.rating : undefined)
  }

  /**
   * Begins a visit, for the person whom the host has identified.
   *
   * @param isForNow whether the host may identify them with another token
   */
  async #visit(isForNow = false): Promise<void> {
    if (this.#isRemoved) return
    this.#isDue = false
    this.#isHeld = true
    const visit = (this.#visits += 1)
    const identity = this.#identity
    try {
      const begun = await this.#requests.visit(read('local', this.#key), identity)
      if (visit !== this.#visits) return
      write('local', this.#key, begun.browser)
      const { left_out: leftOut = [] } = begun
      if (leftOut.length > 0) warn(`claims that are not used: ${leftOut.join(', ')}`)
      const { conversation = null, identified = false } = readTab(this.#key)
      // After an identification, what this browser has asked before belongs to the person.
      const isSame = begun.continues && (identity !== null || !identified)
      const shown = isSame ? conversation : null
      if (!isForNow) keepInTab(this.#key, { identified: identity !== null, conversation: shown })
      const { token, ends_in } = begun
      this.#hasVisit = true
      this.#release({ parley: 'visit', token, ends_in, conversation: shown })
      if (identity !== null) this.#emit('identified')
    } catch (error) {
      if (visit === this.#visits) this.#fail(error)
    }
  }

  /** Goes on with the visit before, or without the person, or lets the frame try again. */
  #fail(error: unknown): void {
    const visit = this.#visits
    const code = codeOf(error)
    warn(`no visit: ${code}`)
    if (this.#hasVisit) this.#release({ parley: 'resume' })
    this.#emit('error', code)
    // A listener may have identified the person again.
    if (this.#hasVisit || visit !== this.#visits) return
    if (this.#identity !== null && code.startsWith('identity_')) {
      this.#identity = null
      void this.#visit(true)
    } else {
      const retryAfter = error instanceof Failure ? error.retryAfter : undefined
      this.#post({ parley: 'failed', code, ...(retryAfter && { retry_after: retryAfter }) })
    }
  }

  #post(message: FromHost): void {
    this.#view?.post(message)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error ? error.message : 'failed'
}

/** For the developers of the host's site. */
function warn(text: string): void {
  // oxlint-disable-next-line no-console
  console.warn(`parley: ${text}`)
}

const script = document.currentScript
// A script that its page has removed meanwhile must not draw anything.
const isWanted = script?.isConnected === true && window.parley?.isReady === undefined
if (script instanceof HTMLScriptElement && isWanted) {
  const widget = new Widget(script)
  const waiting = Array.from(window.parley?.q ?? [], (command) => Array.from(command))
  const parley: Parley = (...command) => widget.run(command)
  parley.isReady = true
  window.parley = parley
  // Hosts queue `arguments` objects before this script has loaded. `run` warns about unknown commands.
  // What was queued before a removal was for a widget that never began.
  for (const command of waiting.slice(waiting.findLastIndex(([name]) => name === 'remove') + 1))
    widget.run(command as unknown as Command)
  widget.begin().catch((error: unknown) => warn(`the widget is not shown: ${codeOf(error)}`))
}
