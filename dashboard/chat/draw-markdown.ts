import { el } from './dom.ts'
import { readMarkdown, safeAddress, type MarkdownElement, type MarkdownNode } from './markdown.ts'

/** Turns `[3]` into a reference; null leaves the text as it is. */
export type Cite = (number: number) => Node | null

/** Markdown as elements of the page. */
export function drawMarkdown(text: string, cite: Cite): DocumentFragment {
  const drawn = document.createDocumentFragment()
  drawn.append(...readMarkdown(text).map((node) => draw(node, cite)))
  return drawn
}

function draw(node: MarkdownNode, cite: Cite): Node {
  if (typeof node === 'string') return document.createTextNode(node)
  if ('number' in node) return cite(node.number) ?? document.createTextNode(`[${node.number}]`)
  const made = el(node.tag, attributesOf(node), ...node.children.map((child) => draw(child, cite)))
  return node.tag === 'table' ? el('div', { class: 'table', tabindex: 0 }, made) : made
}

const ownDirection = new Set(['p', 'h3', 'h4', 'blockquote', 'li', 'th', 'td'])

function attributesOf({ tag, start, href }: MarkdownElement) {
  if (tag === 'a') return { href: href ?? '', ...elsewhere }
  if (tag === 'pre') return { tabindex: 0, dir: 'ltr' }
  if (tag === 'code') return { dir: 'ltr' }
  if (tag === 'ol') return { start: start ?? 1 }
  return ownDirection.has(tag) ? { dir: 'auto' } : {}
}

const elsewhere = { target: '_blank', rel: 'noopener noreferrer' } as const

/** A link to a web or mail address; anything else, such as `javascript:`, stays text. */
export function linkTo(address: string, label: string): Node {
  const href = safeAddress(address)
  return href === null ? document.createTextNode(label) : el('a', { href, ...elsewhere }, label)
}
