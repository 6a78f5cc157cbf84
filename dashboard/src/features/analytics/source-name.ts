import { t } from '#texts/t.ts'

/** The name of a conversation's channel, or its code if there is no text for it. */
export function sourceName(source: string): string {
  switch (source) {
    case 'api':
    case 'page':
    case 'dashboard':
    case 'mcp':
      return t(`analytics.sources.${source}`)
    default:
      return source
  }
}
