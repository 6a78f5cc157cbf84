import { flag } from '#components/search-flag.ts'

export const agentSorts = ['newest', 'name'] as const

/** The state in the URL of the list of agents. */
export interface AgentsSearch {
  readonly import?: boolean | undefined
  readonly query?: string | undefined
  readonly folder?: string | undefined
  readonly sort?: (typeof agentSorts)[number] | undefined
}

export function agentsSearch(search: Record<string, unknown>): AgentsSearch {
  const sort = agentSorts.find((one) => one === search.sort)
  const query = typeof search.query === 'string' ? search.query.trim().slice(0, 200) : ''
  const folder = typeof search.folder === 'string' ? search.folder.trim().slice(0, 60) : ''
  return {
    ...flag(search, 'import'),
    ...(query === '' ? {} : { query }),
    ...(folder === '' ? {} : { folder }),
    ...(sort === undefined ? {} : { sort }),
  }
}
