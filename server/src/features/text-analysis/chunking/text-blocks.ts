import { estimateTokens } from './estimate-tokens.ts'

/** Longer lines are not headings, because every chunk repeats its headings. UTF-16 code units. */
const maxHeadingLength = 300

/** A longer head of a table is written once, not in every chunk of its rows. */
const maxHeadTokens = 100

/** A piece of a text that should stay together. */
export interface TextBlock {
  readonly kind: 'paragraph' | 'item' | 'code' | 'row'
  /** The headings above it, outermost first, joined by ` › `. */
  readonly heading: string
  readonly text: string
  /** The head of a row's table, unless it is too long; empty for other blocks. */
  readonly tableHead: string
}

const atxHeading = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*$/
const setextUnderline = /^ {0,3}(=+|-{2,})[ \t]*$/
const fenceLine = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S/
/** For a line without white space, so that it takes linear time. */
const tableRule = /^\|?:?-+:?(?:\|:?-+:?)*\|?$/
const blank = /^\s*$/

/**
 * Reads plain text or Markdown as blocks: paragraphs, list items, fenced code and table rows. Markdown
 * in a plain text counts as structure too.
 */
export function readBlocks(text: string): TextBlock[] {
  return new BlockReader(text).read()
}

class BlockReader {
  private readonly lines: readonly string[]
  private at = 0
  private readonly blocks: TextBlock[] = []
  private readonly headings: string[] = []
  /** The last heading has no text below it yet. */
  private headingIsBare = false

  constructor(text: string) {
    this.lines = text.split(/\r\n|\r|\n/)
  }

  read(): TextBlock[] {
    while (this.at < this.lines.length) {
      if (blank.test(this.line())) this.at += 1
      else if (!(this.readHeading() || this.readCode() || this.readTable() || this.readItem()))
        this.readParagraph()
    }
    this.keepBareHeading()
    return this.blocks
  }

  private line(offset = 0): string {
    return this.lines[this.at + offset] ?? ''
  }

  private add(kind: TextBlock['kind'], lines: readonly string[], tableHead = ''): void {
    const heading = this.headings.filter(Boolean).join(' › ')
    this.blocks.push({ kind, heading, text: lines.join('\n').trimEnd(), tableHead })
    this.headingIsBare = false
  }

  private enter(level: number, title: string): void {
    if (level <= this.headings.length) this.keepBareHeading()
    this.headings.length = Math.min(this.headings.length, level - 1)
    // Skipped levels are empty, so that later headings of those levels have a slot.
    while (this.headings.length < level - 1) this.headings.push('')
    this.headings.push(title)
    this.headingIsBare = true
  }

  /** A heading with no text below it becomes a paragraph. */
  private keepBareHeading(): void {
    if (this.headingIsBare) this.add('paragraph', [this.headings.at(-1) ?? ''])
  }

  private readHeading(): boolean {
    if (!this.isHeading()) return false
    const match = atxHeading.exec(this.line())
    this.enter(match?.[1]?.length ?? 1, match?.[2] ?? '')
    this.at += 1
    return true
  }

  private isHeading(): boolean {
    return this.line().length <= maxHeadingLength && atxHeading.test(this.line())
  }

  private readCode(): boolean {
    const fence = fenceLine.exec(this.line())?.[1]
    if (fence === undefined) return false
    const start = this.at
    this.at += 1
    while (this.at < this.lines.length && !this.line().trim().startsWith(fence)) this.at += 1
    this.at += 1
    this.add('code', this.lines.slice(start, this.at))
    return true
  }

  private readTable(): boolean {
    if (!this.beginsTable()) return false
    const head = `${this.line()}\n${this.line(1)}`
    this.at += 2
    const isRepeated = this.line().includes('|') && estimateTokens(head) <= maxHeadTokens
    if (!isRepeated) this.add('paragraph', [head])
    while (this.line().includes('|')) {
      this.add('row', [this.line()], isRepeated ? head : '')
      this.at += 1
    }
    return true
  }

  private beginsTable(): boolean {
    return (
      this.line().includes('|') &&
      this.line(1).includes('|') &&
      tableRule.test(this.line(1).replaceAll(/[ \t]/g, ''))
    )
  }

  private readItem(): boolean {
    if (!listItem.test(this.line())) return false
    const start = this.at
    this.at += 1
    while (!this.endsParagraph()) this.at += 1
    this.add('item', this.lines.slice(start, this.at))
    return true
  }

  private readParagraph(): void {
    const start = this.at
    const isTitle = this.line().length <= maxHeadingLength
    this.at += 1
    while (!this.endsParagraph()) {
      const underline = setextUnderline.exec(this.line())?.[1]
      if (underline !== undefined && isTitle && this.at === start + 1) {
        this.enter(underline.startsWith('=') ? 1 : 2, this.lines[start]?.trim() ?? '')
        this.at += 1
        return
      }
      this.at += 1
    }
    this.add('paragraph', this.lines.slice(start, this.at))
  }

  private endsParagraph(): boolean {
    const line = this.line()
    return (
      this.at >= this.lines.length ||
      blank.test(line) ||
      this.isHeading() ||
      fenceLine.test(line) ||
      listItem.test(line) ||
      this.beginsTable()
    )
  }
}
