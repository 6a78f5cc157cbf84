import { analyseQuery } from '#features/text-analysis/index.ts'
import type { Context } from '#platform/context.ts'
import type { Documentation } from '#platform/documentation.ts'
import { indexPages, rankPassages, type DocumentationIndex } from './documentation-index.ts'

/** A passage of a page of Parley's documentation. */
export interface FoundPassage {
  readonly title: string
  /** The headings above it, outermost first. */
  readonly heading: string
  readonly text: string
  /** The address of the whole page. */
  readonly url: string
  readonly score: number
}

/** The pages are part of the installation and do not change while a process runs. */
const indexes = new WeakMap<Documentation, Promise<DocumentationIndex>>()

/**
 * The passages of Parley's documentation that match a question best, best first. Ranking a few hundred
 * passages in memory takes less than a millisecond.
 */
export async function searchDocumentation(
  { documentation, config }: Pick<Context, 'documentation' | 'config'>,
  query: string,
  limit: number,
): Promise<FoundPassage[]> {
  const index = await indexOf(documentation)
  const ranked = rankPassages(index, analyseQuery(query)).slice(0, limit)
  return ranked.map(({ passage: { page, title, heading, text }, score }) => ({
    title,
    heading,
    text,
    url: `${config.baseUrl}/docs/${page}`,
    score,
  }))
}

function indexOf(documentation: Documentation): Promise<DocumentationIndex> {
  const known = indexes.get(documentation)
  if (known !== undefined) return known
  const made = documentation.pages().then(indexPages)
  indexes.set(documentation, made)
  // A page that could not be read may be readable the next time.
  made.catch(() => indexes.delete(documentation))
  return made
}
