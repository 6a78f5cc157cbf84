import { CpuSlice } from '#kernel/cpu-slice.ts'
import { divideText } from './divide-text.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { pause, readBlocks, type TextBlock } from './text-blocks.ts'

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
  return [...eachChunk(text)]
}

/** The same, one by one, for a reader that may stop early. */
export function* eachChunk(text: string): Generator<Chunk> {
  for (const chunk of readChunks(text)) if (chunk !== pause) yield chunk
}

/** The same for a long text, while other work runs. */
export async function chunkInSlices(text: string): Promise<Chunk[]> {
  const slice = new CpuSlice()
  const chunks: Chunk[] = []
  for (const chunk of readChunks(text)) {
    if (chunk !== pause) chunks.push(chunk)
    if (slice.isOver) await slice.next()
  }
  return chunks
}

function* readChunks(text: string): Generator<Chunk | typeof pause> {
  let ordinal = 0
  let room = 0
  let open: TextBlock[] = []
  for (const block of dividedBlocks(text)) {
    if (block === pause) {
      yield pause
      continue
    }
    const tokens = estimateTokens(block.text) + separatorTokens
    const head = tokensOfHead(block)
    if (open[0]?.heading !== block.heading || tokens + head > room) {
      if (open.length > 0) yield chunkOf(open, ordinal++)
      open = []
      room = maxChunkTokens - head
    }
    open.push(block)
    room -= tokens
  }
  if (open.length > 0) yield chunkOf(open, ordinal)
}

const separatorTokens = 1
function tokensOfHead({ tableHead }: TextBlock): number {
  return tableHead === '' ? 0 : estimateTokens(tableHead) + separatorTokens
}

function* dividedBlocks(text: string): Generator<TextBlock | typeof pause> {
  for (const block of readBlocks(text))
    if (block === pause) yield pause
    else {
      const room = maxChunkTokens - separatorTokens - tokensOfHead(block)
      for (const part of divideText(block.text, room)) yield { ...block, text: part }
    }
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
