import { attributeOf, childrenOf, elementsOf, isElement, textOf } from './html-tree.ts'
import type { HtmlElement, HtmlNode } from './html-tree.ts'
import { tableHead, tableRow } from './markdown-table.ts'

const skipped = new Set(
  `script style noscript template svg math iframe object embed canvas audio video picture img
   button select input textarea option nav footer aside dialog head`.split(/\s+/),
)
const skippedRoles = new Set(['navigation', 'banner', 'contentinfo', 'search', 'menu', 'dialog'])
const blocks = new Set(
  `address article blockquote body center dd details div dl dt fieldset figcaption figure form header
   hr html main ol p section summary tbody thead tr ul`.split(/\s+/),
)

/** Deeper than any page written by a person. Elements below this depth are read as plain text. */
const deepest = 200

/** The visible text of a part of a page: headings, paragraphs, lists, tables and code. */
export function htmlToMarkdown(root: HtmlNode): string {
  const writer = new MarkdownWriter()
  writer.walk(root, 0)
  return writer.finish()
}

class MarkdownWriter {
  private readonly out: string[] = []
  private line = ''

  finish(): string {
    this.endBlock()
    return this.out.join('\n\n').replaceAll(/\n\n(?=- )/g, '\n')
  }

  walk(node: HtmlNode, depth: number): void {
    if (depth > deepest) {
      this.line += ` ${collapse(textOf(node))}`
    } else if ('value' in node) {
      this.line += node.value.replaceAll(/\s+/g, ' ')
    } else if (isElement(node)) {
      this.element(node, depth)
    } else {
      this.children(node, depth)
    }
  }

  private children(node: HtmlNode, depth: number): void {
    for (const child of childrenOf(node)) this.walk(child, depth + 1)
  }

  private element(element: HtmlElement, depth: number): void {
    const { tagName } = element
    if (isSkipped(element)) return
    const level = /^h([1-6])$/.exec(tagName)?.[1]
    if (level !== undefined) this.heading(element, Number(level))
    else if (tagName === 'br') this.line += '\n'
    else if (tagName === 'pre') this.code(element)
    else if (tagName === 'li') this.item(element, depth)
    else if (tagName === 'table' && isTableOfData(element)) this.table(element)
    else if (blocks.has(tagName) || tagName === 'table') this.block(element, depth)
    else if (tagName === 'td' || tagName === 'th') this.block(element, depth)
    else this.children(element, depth)
  }

  private block(element: HtmlElement, depth: number): void {
    this.endBlock()
    this.children(element, depth)
    this.endBlock()
  }

  private heading(element: HtmlElement, level: number): void {
    this.endBlock()
    const text = collapse(textOf(element))
    if (text !== '') this.out.push(`${'#'.repeat(level)} ${text}`)
  }

  private item(element: HtmlElement, depth: number): void {
    this.endBlock()
    const before = this.out.length
    this.children(element, depth)
    this.endBlock()
    const first = this.out[before]
    if (first !== undefined && !first.startsWith('- ')) this.out[before] = `- ${first}`
  }

  private code(element: HtmlElement): void {
    this.endBlock()
    const text = textOf(element).replace(/^\n/, '').trimEnd()
    // The fence must not occur in the code.
    const fence = text.includes('```') ? '~~~~' : '```'
    if (text.trim() !== '') this.out.push(`${fence}\n${text}\n${fence}`)
  }

  private table(element: HtmlElement): void {
    this.endBlock()
    const rows = [...elementsOf(element)]
      .filter(({ tagName }) => tagName === 'tr')
      .map((row) => cellsOf(row))
      .filter((cells) => cells.some((cell) => cell !== ''))
    const [head, ...rest] = rows
    if (head === undefined) return
    this.out.push([tableHead(head), ...rest.map(tableRow)].join('\n'))
  }

  private endBlock(): void {
    const text = this.line
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ').trim())
      .join('\n')
      .trim()
    if (text !== '') this.out.push(text)
    this.line = ''
  }
}

function isSkipped(element: HtmlElement): boolean {
  return (
    skipped.has(element.tagName) ||
    attributeOf(element, 'hidden') !== null ||
    attributeOf(element, 'aria-hidden') === 'true' ||
    skippedRoles.has(attributeOf(element, 'role') ?? '')
  )
}

/** False for a table that only arranges parts of a page. */
function isTableOfData(table: HtmlElement): boolean {
  for (const { tagName } of elementsOf(table))
    if (tagName === 'table' || /^h[1-6]$/.test(tagName)) return false
  return true
}

function cellsOf(row: HtmlElement): string[] {
  return childrenOf(row)
    .filter((node) => isElement(node))
    .filter(({ tagName }) => tagName === 'td' || tagName === 'th')
    .map((cell) => collapse(textOf(cell)))
}

export function collapse(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
