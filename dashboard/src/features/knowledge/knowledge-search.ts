/** What the address of the page says: an open form, a source that is looked into, a search. */
export interface KnowledgeSearch {
  readonly add?: 'text' | 'pages'
  /** Whose pages are shown, by its id. */
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
