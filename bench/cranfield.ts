/** Reads the Cranfield collection, as its README describes it, and measures a ranking. */

export interface Collection {
  readonly documents: readonly {
    readonly number: number
    readonly title: string
    readonly text: string
  }[]
  /** In the order of the file: query k of the judgements is the k-th one, regardless of its number. */
  readonly queries: readonly string[]
  /** The gain of a document for a query. Both count from 1. */
  readonly gains: ReadonlyMap<number, ReadonlyMap<number, number>>
}

export async function readCranfield(read: (name: string) => Promise<string>): Promise<Collection> {
  const [documents, queries, judgements] = await Promise.all(
    ['cran.all.1400', 'cran.qry', 'cranqrel'].map(read),
  )
  return {
    documents: recordsOf(documents ?? '').map(({ number, fields }) => ({
      number,
      title: flat(fields.T),
      text: flat(fields.W),
    })),
    queries: recordsOf(queries ?? '').map(({ fields }) => flat(fields.W)),
    gains: gainsOf(judgements ?? ''),
  }
}

interface SmartRecord {
  readonly number: number
  readonly fields: Readonly<Record<string, string>>
}

/** SMART's format: `.I number`, then fields. Each begins with a line that is a dot and a letter. */
function recordsOf(file: string): SmartRecord[] {
  return file
    .split(/^\.I (?=\d)/m)
    .slice(1)
    .map((record) => {
      const [head, ...fields] = record.split(/^\.(?=[A-Z]\r?$)/m)
      return {
        number: Number(head),
        fields: Object.fromEntries(fields.map((field) => [field.slice(0, 1), field.slice(1)])),
      }
    })
}

function flat(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim()
}

function gainsOf(judgements: string): Map<number, Map<number, number>> {
  const gains = new Map<number, Map<number, number>>()
  for (const line of judgements.split('\n').filter((text) => text.trim() !== '')) {
    const [query = 0, document = 0, code = 0] = line.trim().split(/\s+/).map(Number)
    const ofQuery = gains.get(query) ?? new Map<number, number>()
    ofQuery.set(document, code >= 1 && code <= 4 ? 5 - code : 0)
    gains.set(query, ofQuery)
  }
  return gains
}

/** nDCG@10: Σ (2^gain − 1) / log2(rank + 1) of the first ten, divided by that of the ideal order. */
export function ndcgAt10(ranked: readonly number[], gains: ReadonlyMap<number, number>): number {
  const sum = (values: readonly number[]) =>
    values
      .slice(0, 10)
      .reduce((total, gain, index) => total + (2 ** gain - 1) / Math.log2(index + 2), 0)
  const ideal = sum([...gains.values()].sort((one, other) => other - one))
  return ideal === 0 ? 0 : sum(ranked.map((document) => gains.get(document) ?? 0)) / ideal
}

/**
 * Long questions: the first words of the abstracts that answer a query, each without the abstract itself.
 * What answers the same query is what should be found.
 */
export function longQuestions(collection: Collection, words: number): LongQuestion[] {
  const related = new Map<number, Map<number, number>>()
  for (const gains of collection.gains.values()) {
    const answers = [...gains].filter(([, gain]) => gain >= 2)
    for (const [own] of answers)
      for (const [other, gain] of answers) {
        if (own === other) continue
        const known = related.get(own) ?? new Map<number, number>()
        known.set(other, Math.max(known.get(other) ?? 0, gain))
        related.set(own, known)
      }
  }
  return collection.documents.flatMap(({ number, text }) => {
    const gains = related.get(number)
    if (gains === undefined || gains.size < 3 || text === '') return []
    return [{ number, gains, query: text.split(' ').slice(0, words).join(' ') }]
  })
}

export interface LongQuestion {
  /** The document that the question is from, which does not count as an answer. */
  readonly number: number
  readonly query: string
  readonly gains: ReadonlyMap<number, number>
}
