import { t } from '#texts/t.ts'

/** The surface that a conversation came through, in words; one without words as it is stored. */
export function sourceName(source: string): string {
  switch (source) {
    case 'api':
    case 'dashboard':
    case 'mcp':
      return t(`analytics.sources.${source}`)
    default:
      return source
  }
}
