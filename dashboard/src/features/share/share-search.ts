import { flag } from '#components/search-flag.ts'
import { languages, type Language } from './snippets.ts'

/** The state in the URL: the open form and the language of the examples. */
export interface ShareSearch {
  readonly create?: true | undefined
  readonly language?: Language | undefined
}

export function shareSearch(search: Record<string, unknown>): ShareSearch {
  const language = languages.find((one) => one === search.language)
  return { ...flag(search, 'create'), ...(language === undefined ? {} : { language }) }
}
