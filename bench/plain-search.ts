import { DatabaseSync } from 'node:sqlite'
import type { Collection } from './cranfield.ts'

/**
 * What retrieval is compared with: SQLite's own full text, with Porter stems, every word of the
 * question, and BM25 with its defaults.
 *
 * @returns finds the numbers of the best documents
 */
export function plainSearch({ documents }: Collection): (query: string, limit: number) => number[] {
  const db = new DatabaseSync(':memory:')
  db.exec("create virtual table document using fts5 (title, text, tokenize = 'porter unicode61')")
  const insert = db.prepare('insert into document (rowid, title, text) values (?, ?, ?)')
  for (const { number, title, text } of documents) if (text !== '') insert.run(number, title, text)
  const select = db.prepare(
    'select rowid from document where document match ? order by bm25(document), rowid limit ?',
  )
  return (query, limit) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    if (words.length === 0) return []
    const match = words.map((word) => `"${word}"`).join(' OR ')
    return select.all(match, limit).map(({ rowid }) => Number(rowid))
  }
}
