import { divideText } from './divide-text.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { readBlocks, type TextBlock } from './text-blocks.ts'

export interface Chunk {
  readonly ordinal: number
  /** The headings above it, outermost first. */
  readonly heading: string
  /** The page of a paged document, from 1. */
  readonly page: number | null
  readonly text: string
  /** An estimate, see estimateTokens. */
  readonly tokenCount: number
}

/** About a printed page: one thought with its context. Five of them fit every model. */
export const maxChunkTokens = 400

/**
 * Splits a text along its structure. A chunk never crosses a heading, contains whole blocks if they fit,
 * and is at most `maxChunkTokens` long. Chunks do not overlap, so no sentence is indexed, counted or
 * cited twice: the heading path provides the context, and a divided table repeats its head.
 */
export function chunkText(text: string): Chunk[] {
  const groups: TextBlock[][] = []
  let room = 0
  let open: TextBlock[] = []
  for (const block of readBlocks(text).flatMap(divideBlock)) {
    const tokens = estimateTokens(block.text) + separatorTokens
    const head = tokensOfHead(block)
    if (open[0]?.heading !== block.heading || tokens + head > room) {
      open = []
      groups.push(open)
      room = maxChunkTokens - head
    }
    open.push(block)
    room -= tokens
  }
  return groups.map(chunkOf).filter(({ text }) => text !== '')
}

const separatorTokens = 1
function tokensOfHead({ tableHead }: TextBlock): number {
  return tableHead === '' ? 0 : estimateTokens(tableHead) + separatorTokens
}

function divideBlock(block: TextBlock): TextBlock[] {
  const room = maxChunkTokens - separatorTokens - tokensOfHead(block)
  return divideText(block.text, room).map((text) => ({ ...block, text }))
}

function chunkOf(blocks: readonly TextBlock[], ordinal: number): Chunk {
  const text = joinBlocks(blocks)
  const heading = blocks[0]?.heading ?? ''
  return { ordinal, heading, page: null, text, tokenCount: estimateTokens(text) }
}

/** Rows, items and lines of code follow each other; paragraphs are separated by an empty line. */
function joinBlocks(blocks: readonly TextBlock[]): string {
  return blocks
    .map((block, at) => {
      const before = blocks[at - 1]
      const isSameTable = before?.kind === 'row' && before.tableHead === block.tableHead
      const head = block.tableHead === '' || isSameTable ? '' : `${block.tableHead}\n`
      const isNext = before?.kind === block.kind && block.kind !== 'paragraph'
      const separator = before === undefined ? '' : isNext ? '\n' : '\n\n'
      return separator + head + block.text
    })
    .join('')
}
