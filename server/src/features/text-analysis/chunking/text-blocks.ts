import { estimateTokens } from './estimate-tokens.ts'

/** Longer lines are not headings, because every chunk repeats its headings. UTF-16 code units. */
const maxHeadingLength = 300

/** A longer head of a table is written once, not in every chunk of its rows. */
const maxHeadTokens = 100

/** Lines are found in pieces of at least this length. UTF-16 code units. */
const pieceLength = 16 * 1024
/** Lines of a long block that are read between two pauses. */
const linesAtOnce = 64

/** A place at which the reading of a text can stop for other work. */
export const pause = null

/** A piece of a text that should stay together. */
export interface TextBlock {
  readonly kind: 'paragraph' | 'item' | 'code' | 'row'
  /** The headings above it, outermost first, joined by ` › `. */
  readonly heading: string
  readonly text: string
  /** The head of a row's table, unless it is too long; empty for other blocks. */
  readonly tableHead: string
}

const lineEnd = /\r\n|\r|\n/g
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
export function readBlocks(text: string): Generator<TextBlock | typeof pause> {
  return new BlockReader(text).read()
}

class BlockReader {
  private readonly text: string
  /** The lines before `readTo`. */
  private readonly lines: string[] = []
  private readTo = 0
  private at = 0
  private blocks: TextBlock[] = []
  private readonly headings: string[] = []
  /** The last heading has no text below it yet. */
  private headingIsBare = false

  constructor(text: string) {
    this.text = text
  }

  *read(): Generator<TextBlock | typeof pause> {
    for (let steps = 1; this.hasLine(); steps += 1) {
      if (blank.test(this.line())) this.at += 1
      else if (!this.readHeading()) yield* this.readBlock()
      if (this.blocks.length > 0) yield* this.blocks.splice(0)
      else if (steps % linesAtOnce === 0) yield pause
    }
    this.keepBareHeading()
    yield* this.blocks
  }

  private *readBlock(): Generator<typeof pause> {
    if (this.line().match(fenceLine) !== null) yield* this.readCode()
    else if (this.beginsTable()) yield* this.readTable()
    else if (listItem.test(this.line())) yield* this.readItem()
    else yield* this.readParagraph()
  }

  private hasLine(offset = 0): boolean {
    while (this.at + offset >= this.lines.length && this.readTo <= this.text.length)
      this.readLines()
    return this.at + offset < this.lines.length
  }

  private line(offset = 0): string {
    return this.hasLine(offset) ? (this.lines[this.at + offset] ?? '') : ''
  }

  private readLines(): void {
    const { text, readTo } = this
    const least = readTo + pieceLength
    lineEnd.lastIndex = text[least - 1] === '\r' ? least - 1 : least
    const end = least < text.length ? lineEnd.exec(text) : null
    this.lines.push(...text.slice(readTo, end?.index).split(lineEnd))
    this.readTo = end === null ? Infinity : lineEnd.lastIndex
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

  /** Goes to the next line. Pauses now and then. */
  private *nextLine(): Generator<typeof pause> {
    this.at += 1
    if (this.at % linesAtOnce === 0) yield pause
  }

  private *readCode(): Generator<typeof pause> {
    const fence = fenceLine.exec(this.line())?.[1] ?? ''
    const start = this.at
    this.at += 1
    while (this.hasLine() && !this.line().trim().startsWith(fence)) yield* this.nextLine()
    this.at += 1
    this.add('code', this.lines.slice(start, this.at))
  }

  private *readTable(): Generator<typeof pause> {
    const head = `${this.line()}\n${this.line(1)}`
    this.at += 2
    const isRepeated = this.line().includes('|') && estimateTokens(head) <= maxHeadTokens
    if (!isRepeated) this.add('paragraph', [head])
    while (this.line().includes('|')) {
      this.add('row', [this.line()], isRepeated ? head : '')
      yield* this.nextLine()
    }
  }

  private beginsTable(): boolean {
    return (
      this.line().includes('|') &&
      this.line(1).includes('|') &&
      tableRule.test(this.line(1).replaceAll(/[ \t]/g, ''))
    )
  }

  private *readItem(): Generator<typeof pause> {
    const start = this.at
    this.at += 1
    while (!this.endsParagraph()) yield* this.nextLine()
    this.add('item', this.lines.slice(start, this.at))
  }

  private *readParagraph(): Generator<typeof pause> {
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
      yield* this.nextLine()
    }
    this.add('paragraph', this.lines.slice(start, this.at))
  }

  private endsParagraph(): boolean {
    const line = this.line()
    return (
      !this.hasLine() ||
      blank.test(line) ||
      this.isHeading() ||
      fenceLine.test(line) ||
      listItem.test(line) ||
      this.beginsTable()
    )
  }
}
