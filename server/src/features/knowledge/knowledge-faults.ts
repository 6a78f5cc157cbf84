import { defineFaults } from '#kernel/fault.ts'

export const knowledgeFaults = defineFaults({
  /** Facts: `bytes`, `limit_bytes`. */
  source_too_large: 'too_large',
  /** It holds nothing but white space, or nothing that can be read: pictures of text, say. */
  source_empty: 'invalid',
  /** Facts: `known`, the endings of what can be read. */
  source_format_unknown: 'invalid',
  source_address_invalid: 'invalid',
  /** Facts: `reason`, a ModelFailureReason; `retry_after_seconds` where the provider asks for it. */
  embedding_unavailable: 'unavailable',
  /** Facts as above. Asking again is no help: the key, the model's name or its answers are wrong. */
  embedding_refused: 'invalid',
})

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
