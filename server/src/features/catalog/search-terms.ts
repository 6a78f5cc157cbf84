import { normalized } from '#kernel/normalized.ts'

/** Words beyond these are not searched by: a text may be long. */
const maxTerms = 300
const maxTermLength = 40

/** The words of a text, folded (case, accents, width), each once. */
export function searchTerms(text: string): string[] {
  const words = normalized(text, 'NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  // A cut may divide a character.
  const terms = (words ?? []).map((word) => word.slice(0, maxTermLength).toWellFormed())
  return [...new Set(terms)].slice(0, maxTerms)
}
