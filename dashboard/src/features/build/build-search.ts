export const importKinds = ['curl', 'openapi', 'url'] as const
export type ImportKind = (typeof importKinds)[number]

/** The state in the URL of the import: where the actions come from. */
export interface ImportSearch {
  readonly from?: ImportKind
}

export function importSearch(search: Record<string, unknown>): ImportSearch {
  const from = importKinds.find((one) => one === search.from)
  return from === undefined ? {} : { from }
}

/** The state in the URL of the variables: the open variable, or `new`. */
export interface VariablesSearch {
  readonly edit?: string
}

export function variablesSearch(search: Record<string, unknown>): VariablesSearch {
  return typeof search.edit === 'string' && search.edit !== '' ? { edit: search.edit } : {}
}

/** The state in the URL of every Build page: the conversation of the test chat. */
export interface BuildSearch {
  readonly chat?: string | undefined
}

export function buildSearch({ chat }: Record<string, unknown>): BuildSearch {
  return typeof chat === 'string' && chat !== '' ? { chat } : {}
}
