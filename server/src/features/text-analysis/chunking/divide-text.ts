import { estimateTokens } from './estimate-tokens.ts'

// Each finer than the one before: lines, sentences, words, then anything between two characters.
const boundaries = [/(?<=\n)/u, /(?<=[.!?؟;:]["')\]]*\s)|(?<=[。！？；])/u, /(?<=[\s,，、])/u]

/**
 * Splits a text that is too long for one chunk at the coarsest boundaries that make the parts fit:
 * lines, sentences or words. A word that is too long is split between characters.
 */
export function divideText(text: string, maxTokens: number): string[] {
  return divide(text, maxTokens, 0)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function divide(text: string, maxTokens: number, level: number): string[] {
  if (estimateTokens(text) <= maxTokens) return [text]
  const boundary = boundaries[level]
  if (boundary === undefined) return cutAnywhere(text, maxTokens)
  const parts: string[] = []
  let open = ''
  let openTokens = 0
  for (const piece of text.split(boundary)) {
    const tokens = estimateTokens(piece)
    if (open !== '' && openTokens + tokens > maxTokens) {
      parts.push(open)
      open = ''
      openTokens = 0
    }
    if (tokens > maxTokens) {
      parts.push(...divide(piece, maxTokens, level + 1))
    } else {
      open += piece
      openTokens += tokens
    }
  }
  if (open !== '') parts.push(open)
  return parts
}

function cutAnywhere(text: string, maxTokens: number): string[] {
  const parts: string[] = []
  let start = 0
  while (start < text.length) {
    // The estimate counts at most one token per UTF-16 unit, so this many units always fit.
    let end = Math.min(text.length, start + Math.floor(maxTokens))
    const splitsPair = /^[\uD800-\uDBFF]/.test(text.slice(end - 1, end)) && end < text.length
    if (splitsPair) end -= 1
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}
