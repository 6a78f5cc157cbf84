type Props = Readonly<Record<string, string | number | boolean | ((event: Event) => void) | null>>
type Child = Node | string | null

/** An element with attributes, listeners (`onclick`) and children. Text is never parsed as HTML. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value)
    else if (value === true) element.setAttribute(key, '')
    else if (value !== null && value !== false) element.setAttribute(key, String(value))
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found
}

/** Lines of icons on a grid of 24. */
const icons = {
  send: 'M12 19V5M5 12l7-7 7 7',
  stop: 'M7 7h10v10H7z',
  plus: 'M12 5v14M5 12h14',
  list: 'M4 6h16M4 12h16M4 18h10',
  print: 'M7 9V4h10v5M7 18H4v-7h16v7h-3M7 15h10v5H7z',
  close: 'M6 6l12 12M18 6L6 18',
  clip: 'M20 11.5l-8 8a5 5 0 0 1-7-7L13 4.5a3.3 3.3 0 0 1 4.7 4.7l-8 8a1.7 1.7 0 0 1-2.4-2.4L14.5 7.5',
  install: 'M12 4v10M8 10l4 4 4-4M5 19h14',
  file: 'M14 3H6v18h12V7zM14 3v4h4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  again: 'M20 11a8 8 0 1 0-2.3 5.7M20 4v7h-7',
  up: 'M7 11v9H4v-9zM7 11l4-7c1.5 0 2.5 1 2.2 2.5L12.5 10H19a1.7 1.7 0 0 1 1.7 2l-1.2 6.5A2 2 0 0 1 17.5 20H7',
  down: 'M17 13V4h3v9zM17 13l-4 7c-1.5 0-2.5-1-2.2-2.5l.7-3.5H5a1.7 1.7 0 0 1-1.7-2l1.2-6.5A2 2 0 0 1 6.5 4H17',
} as const

export type Icon = keyof typeof icons

export function icon(name: Icon): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(space, 'path')
  path.setAttribute('d', icons[name])
  svg.append(path)
  return svg
}

/** A button that shows an icon and is called by a label. */
export function iconButton(
  name: Icon,
  label: string,
  onclick: (event: Event) => void,
): HTMLButtonElement {
  return el(
    'button',
    { type: 'button', class: 'icon', 'aria-label': label, title: label, onclick },
    icon(name),
  )
}
