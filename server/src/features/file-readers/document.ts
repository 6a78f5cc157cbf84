import { defineFaults, withFacts } from '#kernel/fault.ts'

export const documentFaults = defineFaults({
  /** It is broken, or its format is not that of its name or type. */
  document_damaged: 'invalid',
  /** It needs a password. */
  document_locked: 'invalid',
  document_unpacks_too_large: withFacts<{ limit_megabytes: number }>('too_large'),
  document_format_unknown: withFacts<{ format: string }>('invalid'),
})

/** A part of a document: a page, or as much as is read at a time. */
export interface Section {
  /** Markdown; null for a page that is damaged. */
  readonly text: string | null
  /** From 1. */
  readonly page: number | null
  /** The part of the document that has been read with this section, from 0 to 1. */
  readonly progress: number
}

/** A document that is being read. */
export interface Reading {
  readonly title?: string | null
  readonly pageCount?: number
  /** The metadata and links of a web page. */
  readonly web?: WebPage
  readonly sections: AsyncIterable<Section> | Iterable<Section>
}

export interface WebPage {
  /** The canonical address. */
  readonly canonical: string | null
  /** Absolute http(s) addresses without fragments, in order, each once. */
  readonly links: readonly string[]
  /** False for `noindex`. */
  readonly mayIndex: boolean
  /** True for an index of sitemaps: its links are sitemaps, whatever their names. */
  readonly isSitemapIndex?: boolean
}

export type Bytes = AsyncIterable<Uint8Array>

/** What is known about a document before it is read. */
export interface DocumentHints {
  /** The charset of its `Content-Type`. */
  readonly charset: string | null
  /** Its address, to which its links are relative. */
  readonly url: string | null
}

export type DocumentReader = (bytes: Bytes, hints: DocumentHints) => Promise<Reading>
