import { byId } from './dom.ts'

/** What the dashboard sends while an editor changes the look. */
export interface PreviewedLook {
  readonly parley: 'look'
  /** Variables of the style sheet. */
  readonly variables: Readonly<Record<string, string>>
  readonly theme: string
  readonly name: string
  readonly logo: string
  readonly greeting: string
  readonly disclaimer: string
}

/**
 * Shows a look that is not saved yet. Only the dashboard can frame a preview, because of the page's
 * policy, and what it sends is never markup.
 */
export function listenForLooks(): void {
  addEventListener('message', ({ data, source }: MessageEvent<PreviewedLook | undefined>) => {
    if (source === parent && source !== window && data?.parley === 'look') show(data)
  })
  parent.postMessage({ parley: 'preview' }, '*')
}

function show({ variables, theme, name, logo, greeting, disclaimer }: PreviewedLook): void {
  const { documentElement: root } = document
  for (const [variable, value] of Object.entries(variables)) root.style.setProperty(variable, value)
  root.dataset.theme = theme
  write('.top h1', name)
  write('.greeting p', greeting)
  write('#disclaimer', disclaimer)
  const before = document.querySelector('.top .logo')
  const after = document.createElement(logo === '' ? 'span' : 'img')
  after.className = logo === '' ? 'logo initial' : 'logo'
  if (after instanceof HTMLImageElement) Object.assign(after, { src: logo, alt: '' })
  else after.textContent = [...name][0] ?? ''
  before?.replaceWith(after)
}

/** The element is drawn only if it has a text. */
function write(selector: string, text: string): void {
  const element = document.querySelector(selector) ?? added(selector)
  if (element !== null) element.textContent = text
}

function added(selector: string): Element | null {
  const element = document.createElement(selector === '#disclaimer' ? 'span' : 'p')
  element.dir = 'auto'
  if (selector === '#disclaimer') {
    element.id = 'disclaimer'
    document.querySelector('.small')?.prepend(element)
  } else if (selector === '.greeting p') {
    const greeting = document.createElement('div')
    greeting.className = 'answer greeting'
    greeting.append(element)
    byId('log').prepend(greeting)
  } else return null
  return element
}
