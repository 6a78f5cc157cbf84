/** What the address of the page says: an open form, a search that is tried. */
export interface KnowledgeSearch {
  readonly add?: 'text' | 'pages'
  readonly q?: string
}

export function knowledgeSearch({ add, q }: Record<string, unknown>): KnowledgeSearch {
  return {
    ...(add === 'text' || add === 'pages' ? { add } : {}),
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
  }
}
