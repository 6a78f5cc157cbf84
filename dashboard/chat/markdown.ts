/**
 * Markdown as a tree, which the chat page and the dashboard draw. Text is never parsed as HTML, and links
 * lead only to web and mail addresses.
 */
export type MarkdownNode = string | MarkdownElement | MarkdownReference

export interface MarkdownElement {
  readonly tag: MarkdownTag
  /** The first number of a list. */
  readonly start?: number
  /** Where a link leads. */
  readonly href?: string
  readonly children: readonly MarkdownNode[]
}

/** `[3]`, which may refer to a source. */
export interface MarkdownReference {
  readonly number: number
}

export type MarkdownTag = BlockTag | TableTag | InlineTag
type BlockTag = 'p' | 'h3' | 'h4' | 'pre' | 'blockquote' | 'ul' | 'ol' | 'li' | 'hr'
type TableTag = 'table' | 'thead' | 'tbody' | 'tr' | 'th' | 'td'
type InlineTag = 'a' | 'br' | 'code' | 'strong' | 'em' | 'del'

/** Longer paragraphs stay plain text, so that no input takes long. */
const longestInline = 20_000

export function readMarkdown(text: string): MarkdownNode[] {
  return blocksOf(text.replaceAll('\r\n', '\n').split('\n'))
}

/** An address that a link may lead to; null for another one, such as `javascript:`. */
export function safeAddress(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
}

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
const quoteMark = /^\s{0,3}>\s?/
const deepQuote = /^(?:\s{0,3}>){20}/

/** A deeper quote stays text, because one within another is read by a call within a call. */
const quote = {
  test: (line: string): boolean => quoteMark.test(line) && !deepQuote.test(line),
}
const item = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/
const divider = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/

/** What was read, and the first line after it. */
interface Read {
  readonly node: MarkdownElement
  readonly end: number
}

function blocksOf(lines: readonly string[]): MarkdownElement[] {
  const blocks: MarkdownElement[] = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]?.trim() === '') at += 1
    else {
      const { node, end } = readBlock(lines, at)
      blocks.push(node)
      at = end
    }
  }
  return blocks
}

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? ''
  if (fence.test(line)) return readCode(lines, at)
  if (heading.test(line)) return readHeading(line, at)
  if (rule.test(line)) return { node: element('hr', []), end: at + 1 }
  if (quote.test(line)) return readQuote(lines, at)
  if (item.test(line)) return readList(lines, at)
  if (line.includes('|') && isDivider(lines[at + 1] ?? '')) return readTable(lines, at)
  return readParagraph(lines, at)
}

function element(tag: MarkdownTag, children: readonly MarkdownNode[]): MarkdownElement {
  return { tag, children }
}

/** The first line from `at` that no longer passes. */
function endOf(lines: readonly string[], at: number, passes: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && passes(lines[end] ?? '')) end += 1
  return end
}

function readCode(lines: readonly string[], at: number): Read {
  const mark = fence.exec(lines[at] ?? '')?.[1] ?? '```'
  const end = endOf(lines, at + 1, (line) => !line.trim().startsWith(mark))
  const code = element('code', [lines.slice(at + 1, end).join('\n')])
  return { node: element('pre', [code]), end: end + 1 }
}

function readHeading(line: string, at: number): Read {
  const { level, text } = headingIn(line) ?? { level: 1, text: line }
  return { node: element(level < 3 ? 'h3' : 'h4', inlineOf(text)), end: at + 1 }
}

function readQuote(lines: readonly string[], at: number): Read {
  const end = endOf(lines, at, (line) => quote.test(line))
  const quoted = lines.slice(at, end).map((line) => line.replace(quoteMark, ''))
  return { node: element('blockquote', blocksOf(quoted)), end }
}

function readList(lines: readonly string[], at: number): Read {
  const [, indent = '', bullet, number] = item.exec(lines[at] ?? '') ?? []
  const items: MarkdownElement[] = []
  let next = at
  while (next < lines.length) {
    const found = item.exec(lines[next] ?? '')
    if (found === null || (found[1] ?? '').length !== indent.length) break
    if ((found[2] === undefined) !== (bullet === undefined)) break
    const end = endOfItem(lines, next + 1, indent.length)
    const below = blocksOf(dedented(lines.slice(next + 1, end)))
    items.push(element('li', [...inlineOf(found[4] ?? ''), ...below]))
    // A blank line between two items does not end the list.
    next = lines[end]?.trim() === '' && item.test(lines[end + 1] ?? '') ? end + 1 : end
  }
  const list = bullet === undefined ? { tag: 'ol' as const, start: Number(number ?? 1) } : bulleted
  return { node: { ...list, children: items }, end: Math.max(next, at + 1) }
}

const bulleted = { tag: 'ul' } as const

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

function readTable(lines: readonly string[], at: number): Read {
  const end = endOf(lines, at + 2, (line) => line.includes('|'))
  const head = element('thead', [rowOf(lines[at] ?? '', 'th')])
  const rows = lines.slice(at + 2, end).map((line) => rowOf(line, 'td'))
  return { node: element('table', [head, element('tbody', rows)]), end }
}

function rowOf(line: string, cell: 'th' | 'td'): MarkdownElement {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
  return element(
    'tr',
    cells.map((text) => element(cell, inlineOf(text.trim()))),
  )
}

function readParagraph(lines: readonly string[], at: number): Read {
  const isText = (line: string) =>
    line.trim() !== '' && ![fence, heading, quote, item].some((form) => form.test(line))
  const end = Math.max(at + 1, endOf(lines, at, isText))
  return { node: element('p', inlineOf(lines.slice(at, end).join('\n'))), end }
}

/** The code of ticks begins at the first of a run, so that a long run is read once. */
export const inline =
  /\\(?<escaped>[\\`*_{}[\]()#+.!|~<>-])|(?<!`)(?<ticks>`{1,20})(?!`)(?<code>[^`]+)\k<ticks>(?!`)|\*\*(?<strong>[^*\n](?:[^*]|\*(?!\*))*)\*\*|(?<![\w*])[*_](?<em>[^*_\s][^*_]*)[*_](?!\w)|~~(?<del>[^~]+)~~|!?\[(?<label>[^[\]\n]+)\]\((?<href>[^()\s]+)(?:\s+"[^"\n]*")?\)|\[(?<number>\d{1,2})\]|(?<address>https?:\/\/[^\s<>()[\]]+[^\s<>()[\].,;:!?'"])/g

function inlineOf(text: string): MarkdownNode[] {
  const nodes: MarkdownNode[] = []
  let done = 0
  for (const match of text.length > longestInline ? [] : text.matchAll(inline)) {
    nodes.push(...linesOf(text.slice(done, match.index)), nodeOf(match.groups ?? {}))
    done = match.index + match[0].length
  }
  return [...nodes, ...linesOf(text.slice(done))]
}

function linesOf(text: string): MarkdownNode[] {
  return text
    .split('\n')
    .flatMap((line, index) => [...(index > 0 ? [element('br', [])] : []), line])
    .filter((node) => node !== '')
}

function nodeOf(found: Readonly<Record<string, string | undefined>>): MarkdownNode {
  const { escaped, code, strong, em, del, label, href, number, address = '' } = found
  if (escaped !== undefined) return escaped
  if (code !== undefined) return element('code', [code])
  if (strong !== undefined) return element('strong', inlineOf(strong))
  if (em !== undefined) return element('em', inlineOf(em))
  if (del !== undefined) return element('del', inlineOf(del))
  if (number !== undefined) return { number: Number(number) }
  return label === undefined ? linkTo(address, address) : linkTo(href ?? '', label)
}

/** An address that may not be opened stays text. */
function linkTo(address: string, label: string): MarkdownNode {
  const href = safeAddress(address)
  return href === null ? label : { tag: 'a', href, children: [label] }
}
