import { sentencesOf } from './sentences.ts'

/**
 * A piece of a passage that an answer can quote. A line of code, a table's head or an introduction such
 * as "You need:" says nothing alone, so each belongs to the piece that it explains.
 */
export interface Statement {
  /** Markdown as the passage has it, except for line breaks within a sentence. */
  readonly text: string
  /** What is quoted before it: the head of its table, or the sentence that introduces its list. */
  readonly head: string
  /** The number of its paragraph, list or table in the passage. */
  readonly block: number
}

interface Block {
  readonly kind: 'paragraph' | 'list' | 'table' | 'code'
  readonly lines: readonly string[]
}

const listItem = /^(?:[-*+•·]|\d{1,3}[.)])\s/
const numbered = /^\d{1,3}[.)]\s/
const fence = /^(?:```|~~~)/
const bareCode = /^(?:```|~~~)[^]*(?:```|~~~)$/
const separatorRow = /^\|?[\s:|-]*-{2,}[\s:|-]*\|?$/

/** Longer steps and code are not quoted with the sentence before them. */
const maxStepsCharacters = 900

/** Of a longer list, only the items that answer are quoted. */
const maxListCharacters = 300

/**
 * Lines of code, with its two fences. Longer code that no colon introduces is an example for more
 * than the sentence before it.
 */
const longestLooseCode = 5

/** The statements of a passage, in order. */
export function statementsOf(passage: string): Statement[] {
  const statements: Statement[] = []
  for (const [at, block] of blocksOf(passage).entries()) {
    const found: Piece[] = []
    if (block.kind === 'table') found.push(...rowsOf(block.lines))
    else if (block.kind === 'paragraph') found.push(...explain(statements, block, at).map(plain))
    else found.push(...attach(statements, block))
    statements.push(...found.map((piece) => ({ ...piece, block: at })))
  }
  // Code without a sentence says nothing about itself.
  const sentences = statements.filter(({ text }) => !bareCode.test(text))
  return sentences.length === 0 ? statements : sentences
}

type Piece = Pick<Statement, 'text' | 'head'>

/**
 * Code at the beginning of a section is introduced by its heading, and explained by the sentence after
 * it: `parley backup FILE`, then *creates a backup*. A sentence that begins within goes on from any code.
 *
 * @returns the sentences of a paragraph that stand alone
 */
function explain(statements: Statement[], block: Block, at: number): string[] {
  const [first, ...others] = sentencesOf(textOf(block))
  const before = statements.at(-1)
  if (first === undefined) return []
  if (before === undefined || before.head !== '') return [first, ...others]
  const opens = fence.test(before.text)
  const goesOn = /(?:```|~~~)$/.test(before.text) && /^[`*_]*\p{Ll}/u.test(first)
  const text = `${before.text}\n\n${first}`
  if (!(opens || goesOn) || text.length > maxStepsCharacters) return [first, ...others]
  statements[statements.length - 1] = { ...before, text, block: opens ? at : before.block }
  return others
}

/**
 * Code, steps and a short list belong to the sentence that introduces them, which then contains them.
 *
 * @returns what does not
 */
function attach(statements: Statement[], block: Block): Piece[] {
  const text = textOf(block)
  const items = block.kind === 'list' ? itemsOf(block.lines) : []
  const isSteps = items.length > 1 && items.every((item) => numbered.test(item))
  const isWhole = block.kind === 'code' || isSteps
  const before = statements.at(-1)
  const isIntroduced = /[:：]$/.test(before?.text ?? '')
  if (block.kind === 'code' && !isIntroduced && block.lines.length > longestLooseCode) return []
  const fits = text.length <= (isWhole ? maxStepsCharacters : maxListCharacters)
  if (before !== undefined && before.head === '' && fits && (isWhole || isIntroduced)) {
    statements[statements.length - 1] = { ...before, text: `${before.text}\n\n${text}` }
    return []
  }
  if (isWhole && fits) return [plain(text)]
  if (isIntroduced) return items.map((item) => ({ text: item, head: before?.text ?? '' }))
  return (items.length === 0 ? [text] : items).map(plain)
}

const plain = (text: string): Piece => ({ text, head: '' })

const textOf = ({ lines }: Block): string => lines.join('\n').trim()

/** Rows with the head of their table. A chunk may have several tables in a row. */
function rowsOf(lines: readonly string[]): Piece[] {
  const rows = lines.map((line) => line.trim())
  const pieces: Piece[] = []
  let head = ''
  for (const [at, text] of rows.entries()) {
    if (separatorRow.test(rows[at + 1] ?? '')) head = `${text}\n${rows[at + 1]}`
    else if (!separatorRow.test(text)) pieces.push({ text, head })
  }
  return pieces
}

function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = []
  for (const line of lines) {
    const last = items.length - 1
    if (listItem.test(line.trim()) || last < 0) items.push(line.trim())
    else items[last] = `${items[last] ?? ''} ${line.trim()}`
  }
  return items
}

function blocksOf(passage: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = []
  let open: Block['kind'] | null = null
  for (const line of passage.split(/\r\n?|\n/)) {
    const last = blocks.at(-1)
    if (open === 'code' && last !== undefined) {
      last.lines.push(line)
      if (fence.test(line.trim())) open = null
      continue
    }
    const kind = kindOf(line, open)
    if (kind === null) open = null
    else if (kind === open && last !== undefined) last.lines.push(line)
    else {
      blocks.push({ kind, lines: [line] })
      open = kind
    }
  }
  return blocks.map(asFenced)
}

const indented = /^ {4,}\S/

/** Code that is indented instead of fenced; a chunk that begins with it has lost its first indent. */
function asFenced(block: Block): Block {
  const [, ...rest] = block.lines
  if (block.kind !== 'paragraph' || rest.length === 0) return block
  if (!rest.every((line) => indented.test(line))) return block
  return { kind: 'code', lines: ['```', ...block.lines.map((line) => line.trim()), '```'] }
}

/** @param open the block that the line may continue; null after an empty line */
function kindOf(line: string, open: Block['kind'] | null): Block['kind'] | null {
  const text = line.trim()
  if (text === '') return null
  if (fence.test(text)) return 'code'
  if (text.startsWith('|')) return 'table'
  if (listItem.test(text)) return 'list'
  // An indented line, or one that a page's width has broken, continues an item.
  return open === 'list' && /^\s{2,}/.test(line) ? 'list' : 'paragraph'
}
