import { defineFaults, withFacts } from '#kernel/fault.ts'

export const documentFaults = defineFaults({
  /** Not what its name or type says, or broken. */
  document_damaged: 'invalid',
  /** It needs a password. */
  document_locked: 'invalid',
  document_unpacks_too_large: withFacts<{ limit_megabytes: number }>('too_large'),
  document_format_unknown: withFacts<{ format: string }>('invalid'),
})

/** A part of a document: a page where it has pages, else as much as is read at a time. */
export interface Section {
  /** Markdown; null for a page that is damaged. */
  readonly text: string | null
  /** From 1. */
  readonly page: number | null
  /** How much of the document has been read with this, from 0 to 1. */
  readonly progress: number
}

/** A document while it is read. */
export interface Reading {
  readonly title: string | null
  readonly pageCount: number | null
  /** What a web page says of itself and others; null for everything else. */
  readonly web: WebPage | null
  readonly sections: AsyncIterable<Section> | Iterable<Section>
}

export interface WebPage {
  /** The address that it wants to be known by. */
  readonly canonical: string | null
  /** Absolute http(s) addresses without fragments, in order, each once. */
  readonly links: readonly string[]
  /** False where it asks not to be found. */
  readonly mayIndex: boolean
  /** True for an index of sitemaps: its links are sitemaps, whatever they are called. */
  readonly isSitemapIndex?: boolean
}

export type Bytes = AsyncIterable<Uint8Array>

/** What is known of a document before it is read. */
export interface DocumentHints {
  /** Of the `Content-Type` it came with. */
  readonly charset: string | null
  /** Where it came from: its links are relative to that. */
  readonly url: string | null
}

export type DocumentReader = (bytes: Bytes, hints: DocumentHints) => Promise<Reading>

/** All of it at once, for formats that cannot be read from front to back. */
export async function collectBytes(bytes: Bytes): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}
