import { defineFaults, withFacts } from '#kernel/fault.ts'

type Page = { readonly url: string }

/** Why a page could not be read. They are stored with the source and never answer a request. */
export const pageFaults = defineFaults({
  /** Also for a private address: a code of its own would map the network behind the service. */
  page_unreachable: withFacts<Page>('unavailable'),
  page_too_slow: withFacts<Page>('unavailable'),
  page_unavailable: withFacts<Page & { status?: number }>('unavailable'),
  page_refused: withFacts<Page & { status: number }>('forbidden'),
  page_missing: withFacts<Page & { status: number }>('not_found'),
  page_redirects: withFacts<Page>('invalid'),
  page_too_large: withFacts<Page>('too_large'),
  page_address_refused: withFacts<Page>('invalid'),
  page_disallowed: withFacts<Page>('forbidden'),
  /** The sitemap lists no page of its own site, or include and exclude leave none. */
  pages_none: 'invalid',
})
