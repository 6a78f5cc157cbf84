/** The state in the URL: an open form, an open source, a search. */
export interface KnowledgeSearch {
  readonly add?: 'text' | 'pages'
  /** The id of the source whose documents are shown. */
  readonly source?: string
  readonly q?: string
}

export function knowledgeSearch({ add, source, q }: Record<string, unknown>): KnowledgeSearch {
  return {
    ...(add === 'text' || add === 'pages' ? { add } : {}),
    ...(typeof source === 'string' && source !== '' ? { source } : {}),
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
  }
}
