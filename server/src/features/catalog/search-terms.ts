import { normalized } from '#kernel/normalized.ts'
import type { ProductRow } from './store.ts'

/** Words beyond these are not searched by: a text may be long. */
const maxTerms = 300
const maxTermLength = 40

type Searched = Pick<ProductRow, 'name' | 'sku' | 'categories_json' | 'description'>

/** The words that find a product. */
export function termsOfProduct({ name, sku, categories_json, description }: Searched): string[] {
  return searchTerms([name, sku, categories_json, description].join(' '))
}

/** Whether each of the terms begins a word of the product. */
export function isFoundBy(row: Searched, terms: readonly string[]): boolean {
  if (terms.length === 0) return true
  const words = termsOfProduct(row)
  return terms.every((term) => words.some((word) => word.startsWith(term)))
}

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
