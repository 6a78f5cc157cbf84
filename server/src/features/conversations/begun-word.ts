import { analyseQuery, foldWord } from '#features/text-analysis/index.ts'
import { normalized } from '#kernel/normalized.ts'

/** The beginnings that the index of PostgreSQL knows, by their lengths in UTF-16 code units. */
export const indexedBeginnings = [3, 4, 5, 6] as const

/** Scripts whose words have spaces between them and are written from their beginning on. */
const lastWord = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{N}]+$/u

/**
 * The last word of a search that is still being typed, as terms begin: in lower case and without
 * accents. Null if it is too short, a word without meaning, or of another script.
 */
export function begunWord(query: string): { readonly term: string; readonly start: string } | null {
  const word = lastWord.exec(normalized(query.slice(-200), 'NFKC').toLowerCase())?.[0] ?? ''
  const [term, ...others] = analyseQuery(word)
  const start = foldWord(word)
  if (term === undefined || others.length > 0 || start.length < indexedBeginnings[0]) return null
  return { term, start }
}
