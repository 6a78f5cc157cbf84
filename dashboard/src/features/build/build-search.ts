export const importKinds = ['curl', 'openapi', 'url'] as const
export type ImportKind = (typeof importKinds)[number]

/** What the address of the import says: where the actions come from. */
export interface ImportSearch {
  readonly from?: ImportKind
}

export function importSearch(search: Record<string, unknown>): ImportSearch {
  const from = importKinds.find((one) => one === search.from)
  return from === undefined ? {} : { from }
}

/** What the address of the variables says: the one that is open, or `new`. */
export interface VariablesSearch {
  readonly edit?: string
}

export function variablesSearch(search: Record<string, unknown>): VariablesSearch {
  return typeof search.edit === 'string' && search.edit !== '' ? { edit: search.edit } : {}
}

/** What the address of every page of Build says: the conversation of the test chat. */
export interface BuildSearch {
  readonly chat?: string | undefined
}

export function buildSearch({ chat }: Record<string, unknown>): BuildSearch {
  return typeof chat === 'string' && chat !== '' ? { chat } : {}
}
