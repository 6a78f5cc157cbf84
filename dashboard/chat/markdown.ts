import { el } from './dom.ts'

/** Turns `[3]` into a reference; null leaves the text as it is. */
export type Cite = (number: number) => Node | null

/** Longer paragraphs stay plain text, so that no input takes long. */
const longestInline = 20_000

/** Markdown as elements. Text is never parsed as HTML, and links lead only to web and mail addresses. */
export function renderMarkdown(text: string, cite: Cite): DocumentFragment {
  const blocks = document.createDocumentFragment()
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const shallow = lines.map((line) => line.replace(deepQuote, '>'.repeat(deepest)))
  appendBlocks(blocks, shallow, cite)
  return blocks
}

/** A quote within a quote, and so on, is drawn by a call within a call. */
const deepest = 20
const deepQuote = new RegExp(String.raw`^(?: {0,3}>){${deepest}}[>\s]*`)

/** The level and the words of a heading; null for another line. */
export function headingIn(line: string): { readonly level: number; readonly text: string } | null {
  const [, marks, rest = ''] = heading.exec(line) ?? []
  if (marks === undefined) return null
  return { level: marks.length, text: rest.trim().replace(endOfHeading, '').trim() }
}

/** Whether a line is between the head and the body of a table. */
export function isDivider(line: string): boolean {
  return divider.test(line.trim())
}

const fence = /^\s{0,3}(```+|~~~+)\s*([\w+-]*)/
const heading = /^\s{0,3}(#{1,6})\s+(.*)$/
const endOfHeading = /(?<!#)#+$/
const rule = /^\s{0,3}(?:-(?:\s*-){2,}|\*(?:\s*\*){2,}|_(?:\s*_){2,})\s*$/
const quote = /^\s{0,3}>\s?/
const item = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/
const divider = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/

function appendBlocks(parent: Node, lines: readonly string[], cite: Cite): void {
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') at += 1
    else if (fence.test(line)) at = appendCode(parent, lines, at)
    else if (heading.test(line)) at = appendHeading(parent, line, at, cite)
    else if (rule.test(line)) {
      parent.appendChild(el('hr'))
      at += 1
    } else if (quote.test(line)) at = appendQuote(parent, lines, at, cite)
    else if (item.test(line)) at = appendList(parent, lines, at, cite)
    else if (line.includes('|') && isDivider(lines[at + 1] ?? ''))
      at = appendTable(parent, lines, at, cite)
    else at = appendParagraph(parent, lines, at, cite)
  }
}

/** The first line from `at` that no longer passes. */
function endOf(lines: readonly string[], at: number, passes: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && passes(lines[end] ?? '')) end += 1
  return end
}

function appendCode(parent: Node, lines: readonly string[], at: number): number {
  const mark = fence.exec(lines[at] ?? '')?.[1] ?? '```'
  const end = endOf(lines, at + 1, (line) => !line.trim().startsWith(mark))
  const code = el('code', {}, lines.slice(at + 1, end).join('\n'))
  parent.appendChild(el('pre', { tabindex: 0, dir: 'ltr' }, code))
  return end + 1
}

function appendHeading(parent: Node, line: string, at: number, cite: Cite): number {
  const { level, text } = headingIn(line) ?? { level: 1, text: line }
  const made = el(level < 3 ? 'h3' : 'h4', { dir: 'auto' })
  appendInline(made, text, cite)
  parent.appendChild(made)
  return at + 1
}

function appendQuote(parent: Node, lines: readonly string[], at: number, cite: Cite): number {
  const end = endOf(lines, at, (line) => quote.test(line))
  const inner = el('blockquote', { dir: 'auto' })
  appendBlocks(
    inner,
    lines.slice(at, end).map((line) => line.replace(quote, '')),
    cite,
  )
  parent.appendChild(inner)
  return end
}

function appendList(parent: Node, lines: readonly string[], at: number, cite: Cite): number {
  const [, indent = '', bullet, number] = item.exec(lines[at] ?? '') ?? []
  const list = bullet === undefined ? el('ol', { start: number ?? '1' }) : el('ul')
  let next = at
  while (next < lines.length) {
    const found = item.exec(lines[next] ?? '')
    if (found === null || (found[1] ?? '').length !== indent.length) break
    if ((found[2] === undefined) !== (bullet === undefined)) break
    const end = endOfItem(lines, next + 1, indent.length)
    const entry = el('li', { dir: 'auto' })
    appendInline(entry, found[4] ?? '', cite)
    const below = dedented(lines.slice(next + 1, end))
    if (below.length > 0) appendBlocks(entry, below, cite)
    list.append(entry)
    // A blank line between two items does not end the list.
    next = lines[end]?.trim() === '' && item.test(lines[end + 1] ?? '') ? end + 1 : end
  }
  parent.appendChild(list)
  return Math.max(next, at + 1)
}

/** The first line that does not belong to an item. A block of code in it can have empty lines. */
function endOfItem(lines: readonly string[], at: number, depth: number): number {
  let mark: string | null = null
  return endOf(lines, at, (line) => {
    if (line.trim() === '') return mark !== null
    if (depthOf(line) <= depth) return false
    if (mark === null) mark = fence.exec(line.trimStart())?.[1] ?? null
    else if (line.trim().startsWith(mark)) mark = null
    return true
  })
}

/** What is below an item, moved to the left as far as its first line. */
export function dedented(lines: readonly string[]): readonly string[] {
  const depth = depthOf(lines[0] ?? '')
  return lines.map((line) => line.slice(Math.min(depth, depthOf(line))))
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length
}

function appendTable(parent: Node, lines: readonly string[], at: number, cite: Cite): number {
  const end = endOf(lines, at + 2, (line) => line.includes('|'))
  const row = (line: string, name: 'th' | 'td') => {
    const cells = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
    return el(
      'tr',
      {},
      ...cells.map((text) => {
        const cell = el(name, { dir: 'auto' })
        appendInline(cell, text.trim(), cite)
        return cell
      }),
    )
  }
  const head = el('thead', {}, row(lines[at] ?? '', 'th'))
  const body = el('tbody', {}, ...lines.slice(at + 2, end).map((line) => row(line, 'td')))
  parent.appendChild(el('div', { class: 'table', tabindex: 0 }, el('table', {}, head, body)))
  return end
}

function appendParagraph(parent: Node, lines: readonly string[], at: number, cite: Cite): number {
  const isText = (line: string) =>
    line.trim() !== '' && ![fence, heading, quote, item].some((form) => form.test(line))
  const end = Math.max(at + 1, endOf(lines, at, isText))
  const made = el('p', { dir: 'auto' })
  appendInline(made, lines.slice(at, end).join('\n'), cite)
  parent.appendChild(made)
  return end
}

/** The code of ticks begins at the first of a run, so that a long run is read once. */
export const inline =
  /(?<!`)(?<ticks>`{1,20})(?!`)(?<code>[^`]+)\k<ticks>(?!`)|\*\*(?<strong>[^*\n](?:[^*]|\*(?!\*))*)\*\*|(?<![\w*])[*_](?<em>[^*_\s][^*_]*)[*_](?!\w)|~~(?<del>[^~]+)~~|!?\[(?<label>[^[\]\n]+)\]\((?<href>[^()\s]+)(?:\s+"[^"\n]*")?\)|\[(?<number>\d{1,2})\]|(?<address>https?:\/\/[^\s<>()[\]]+[^\s<>()[\].,;:!?'"])/g

function appendInline(parent: Node, text: string, cite: Cite): void {
  let done = 0
  const matches = text.length > longestInline ? [] : text.matchAll(inline)
  for (const match of matches) {
    const made = inlineOf(match.groups ?? {}, cite)
    if (made === null) continue
    appendText(parent, text.slice(done, match.index))
    parent.appendChild(made)
    done = match.index + match[0].length
  }
  appendText(parent, text.slice(done))
}

function appendText(parent: Node, text: string): void {
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) parent.appendChild(el('br'))
    if (line !== '') parent.appendChild(document.createTextNode(line))
  }
}

function inlineOf(found: Readonly<Record<string, string | undefined>>, cite: Cite): Node | null {
  const { code, strong, em, del, label, href, number, address } = found
  if (code !== undefined) return el('code', { dir: 'ltr' }, code)
  if (strong !== undefined) return filled('strong', strong, cite)
  if (em !== undefined) return filled('em', em, cite)
  if (del !== undefined) return filled('del', del, cite)
  if (number !== undefined) return cite(Number(number))
  if (label !== undefined) return linkTo(href ?? '', label)
  return address === undefined ? null : linkTo(address, address)
}

function filled(name: 'strong' | 'em' | 'del', text: string, cite: Cite): Node {
  const made = el(name)
  appendInline(made, text, cite)
  return made
}

/** A link to a web or mail address; anything else, such as `javascript:`, stays text. */
export function linkTo(address: string, label: string): Node {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol))
    return document.createTextNode(label)
  return el('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer' }, label)
}
