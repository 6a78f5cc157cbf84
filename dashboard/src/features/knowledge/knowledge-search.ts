import { flag } from '#components/search-flag.ts'

/** The state in the URL: an open form, a search. */
export interface KnowledgeSearch {
  readonly add?: 'text' | 'pages'
  /** The question that the open form answers. */
  readonly answer?: string
  readonly q?: string
}

export function knowledgeSearch({ add, answer, q }: Record<string, unknown>): KnowledgeSearch {
  return {
    ...(add === 'text' || add === 'pages' ? { add } : {}),
    ...(typeof answer === 'string' && answer !== '' ? { answer } : {}),
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
  }
}

/** The state of a source's page: the open document, a cited passage by its ends, the open form. */
export interface SourceSearch {
  readonly document?: string
  readonly start?: string
  readonly end?: string
  readonly edit?: true
}

export function sourceSearch(search: Record<string, unknown>): SourceSearch {
  const { document, start, end } = search
  return {
    ...(typeof document === 'string' && document !== '' ? { document } : {}),
    ...(typeof start === 'string' && typeof end === 'string' ? { start, end } : {}),
    ...flag(search, 'edit'),
  }
}
