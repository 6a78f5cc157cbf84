import { defineFaults } from '#kernel/fault.ts'

/** Why a page could not be had; these stand on the source, not in an answer. */
export const pageFaults = defineFaults({
  /** Also what a private address looks like: the difference would map the network behind us. */
  page_unreachable: 'unavailable',
  page_too_slow: 'unavailable',
  /** Facts: `status`. */
  page_unavailable: 'unavailable',
  /** Facts: `status`. */
  page_refused: 'forbidden',
  page_missing: 'not_found',
  page_redirects: 'invalid',
  page_too_large: 'too_large',
  page_address_refused: 'invalid',
  page_disallowed: 'forbidden',
  /** A sitemap lists none of its own site, or include and exclude leave none. */
  pages_none: 'invalid',
})
