import { estimateTokens } from './estimate-tokens.ts'

// Each finer than the one before: lines, sentences, words, then anything between two characters.
const boundaries = [/(?<=\n)/gu, /(?<=[.!?؟;:]["')\]]*\s)|(?<=[。！？；])/gu, /(?<=[\s,，、])/gu]

/**
 * Splits a text that is too long for one chunk at the coarsest boundaries that make the parts fit:
 * lines, sentences or words. A word that is too long is split between characters. The parts are found
 * one by one, because a text may have thousands.
 */
export function* divideText(text: string, maxTokens: number): Generator<string> {
  for (const part of divide(text, maxTokens, 0)) {
    const trimmed = part.trim()
    if (trimmed !== '') yield trimmed
  }
}

function* divide(text: string, maxTokens: number, level: number): Generator<string> {
  if (estimateTokens(text) <= maxTokens) return yield text
  const boundary = boundaries[level]
  if (boundary === undefined) return yield* cutAnywhere(text, maxTokens)
  let open = ''
  let openTokens = 0
  for (const piece of piecesOf(text, boundary)) {
    const tokens = estimateTokens(piece)
    if (open !== '' && openTokens + tokens > maxTokens) {
      yield open
      open = ''
      openTokens = 0
    }
    if (tokens > maxTokens) {
      yield* divide(piece, maxTokens, level + 1)
    } else {
      open += piece
      openTokens += tokens
    }
  }
  if (open !== '') yield open
}

/** As `text.split(boundary)`. */
function* piecesOf(text: string, boundary: RegExp): Generator<string> {
  let start = 0
  for (const { index } of text.matchAll(boundary)) {
    if (index === start) continue
    yield text.slice(start, index)
    start = index
  }
  if (start < text.length) yield text.slice(start)
}

function* cutAnywhere(text: string, maxTokens: number): Generator<string> {
  let start = 0
  while (start < text.length) {
    // The estimate counts at most one token per UTF-16 unit, so this many units always fit.
    let end = Math.min(text.length, start + Math.floor(maxTokens))
    const splitsPair = /^[\uD800-\uDBFF]/.test(text.slice(end - 1, end)) && end < text.length
    if (splitsPair) end -= 1
    yield text.slice(start, end)
    start = end
  }
}
