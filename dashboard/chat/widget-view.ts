import type { FromHost, ToHost } from './host.ts'
import { widgetIcons } from './widget-icons.ts'

/** The settings of a widget, as the service sends them. */
export interface WidgetSettings {
  readonly name: string
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  readonly color: string
  readonly on_color: string
  readonly side: 'start' | 'end'
  readonly icon: keyof typeof widgetIcons
  /** Pixels of the frame's corners. */
  readonly round: number
  readonly open: string
  readonly close: string
  readonly after_seconds: number | null
  readonly at_scroll: number | null
  readonly on_paths: readonly string[]
}

interface Events {
  toggled(isOpen: boolean): void
  received(message: ToHost): void
}

const style = `
:host { all: initial !important; display: contents !important }
button, iframe { position: fixed; z-index: 2147483000; border: 0; inset-inline-end: 20px }
.start { inset-inline: 20px auto }
button { bottom: 20px; width: 56px; height: 56px; padding: 14px; border-radius: 50%; cursor: pointer;
  color: var(--on); background: var(--color); box-shadow: 0 4px 16px #0005 }
button:focus-visible { outline: 3px solid var(--color); outline-offset: 3px }
svg { display: block; width: 28px; height: 28px; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round }
iframe { bottom: 88px; width: min(400px, calc(100vw - 40px)); height: min(640px, calc(100dvh - 108px));
  border-radius: var(--round); background: Canvas; box-shadow: 0 8px 40px #0004 }
[hidden] { display: none }
@media (max-width: 480px) {
  iframe { inset: 0; width: 100%; height: 100%; border-radius: 0 }
  button[aria-expanded=true] { display: none }
}
@media print { button, iframe { display: none } }`

const svg = 'http://www.w3.org/2000/svg'
const cross = 'M6 6l12 12M18 6L6 18'

/** The widget on the host's page: a button, and a frame once it has been opened. */
export class WidgetView {
  readonly #settings: WidgetSettings
  readonly #address: string
  readonly #events: Events
  readonly #button = document.createElement('button')
  readonly #path = document.createElementNS(svg, 'path')
  readonly #root: ShadowRoot
  readonly #removed = new AbortController()
  #frame: HTMLIFrameElement | null = null
  #isOpen = false

  constructor(settings: WidgetSettings, address: string, events: Events) {
    this.#settings = settings
    this.#address = address
    this.#events = events
    const element = document.createElement('parley-widget')
    element.lang = settings.language
    element.dir = settings.direction
    element.style.setProperty('--color', settings.color)
    element.style.setProperty('--on', settings.on_color)
    element.style.setProperty('--round', `${settings.round}px`)
    this.#root = element.attachShadow({ mode: 'open' })
    // A style sheet that a script builds is allowed by every policy of a host.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    this.#root.adoptedStyleSheets = [sheet]
    this.#drawButton()
    document.body.append(element)
    const receive = ({ source, data }: MessageEvent<ToHost>) => {
      if (this.isLoaded && source === this.#frame?.contentWindow) events.received(data)
    }
    addEventListener('message', receive, { signal: this.#removed.signal })
  }

  remove(): void {
    this.#removed.abort()
    this.#root.host.remove()
  }

  get isLoaded(): boolean {
    return this.#frame !== null
  }

  /** @param takesFocus true unless the visitor did not ask for it */
  open(takesFocus = true): void {
    this.#frame ??= this.#drawFrame()
    this.#toggle(true)
    if (takesFocus) this.#frame.focus()
  }

  close(): void {
    this.#toggle(false)
    this.#button.focus()
  }

  post(message: FromHost): void {
    // The frame has an opaque origin, which no target can name. Only its own page is ever in it.
    this.#frame?.contentWindow?.postMessage(message, '*')
  }

  #drawButton(): void {
    const icon = document.createElementNS(svg, 'svg')
    icon.setAttribute('viewBox', '0 0 24 24')
    icon.setAttribute('aria-hidden', 'true')
    icon.append(this.#path)
    this.#button.type = 'button'
    this.#button.className = this.#settings.side
    this.#button.append(icon)
    this.#button.addEventListener('click', () => (this.#isOpen ? this.close() : this.open()))
    this.#show()
    this.#root.append(this.#button)
  }

  #drawFrame(): HTMLIFrameElement {
    const frame = document.createElement('iframe')
    frame.title = this.#settings.name
    frame.className = this.#settings.side
    // The frame's origin is opaque, so it is not the one of its address.
    frame.allow = 'clipboard-write *'
    frame.src = this.#address
    this.#root.append(frame)
    return frame
  }

  #toggle(isOpen: boolean): void {
    if (isOpen === this.#isOpen) return
    this.#isOpen = isOpen
    this.#show()
    this.#events.toggled(isOpen)
  }

  #show(): void {
    const { open, close, name, icon } = this.#settings
    this.#path.setAttribute('d', this.#isOpen ? cross : widgetIcons[icon])
    this.#button.setAttribute('aria-label', this.#isOpen ? close : `${open}: ${name}`)
    this.#button.setAttribute('aria-expanded', String(this.#isOpen))
    if (this.#frame !== null) this.#frame.hidden = !this.#isOpen
  }
}
