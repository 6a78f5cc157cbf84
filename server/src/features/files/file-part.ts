/** A part of a document: at most about a printed page, under one heading. */
export interface FileChunk {
  /** The headings above it, outermost first. */
  readonly heading: string
  /** Counted from 1; null if the document has no pages. */
  readonly page: number | null
  readonly text: string
}

/** Counted for each chunk, so that a limit on the text also limits the number of chunks. */
const chunkOverhead = 50

/** What a chunk counts against the limits of text: every chunk repeats its headings. UTF-16 code units. */
export function lengthOfChunk({ heading, text }: Pick<FileChunk, 'heading' | 'text'>): number {
  return heading.length + text.length + chunkOverhead
}

/** The text of a file, as it is stored with the message that it belongs to. */
export interface FilePart {
  readonly type: 'file'
  readonly name: string
  readonly chunks: readonly FileChunk[]
}

/** A file of a request, before it is read. */
export interface WantedFile {
  readonly type: 'wanted_file'
  /** What the caller calls it. */
  readonly name: string | null
  /** Where it is in the request, for errors. */
  readonly at: string
  /** Whether it must be an image, which the model sees; otherwise its text is read. */
  readonly isImage?: true
  /** Base64 with its media type, if that is known, an address, or the id of an uploaded file. */
  readonly from:
    | { readonly data: string; readonly mediaType: string | null }
    | { readonly url: string }
    | { readonly fileId: string }
}

/** An image that was uploaded or fetched, as models read it. */
export interface ImageContent {
  readonly type: 'image'
  readonly url: string
}

/** A message that can hold files. */
export interface WithFiles {
  readonly role: string
  readonly parts?: readonly (
    | { readonly type: 'text' | 'image' | 'audio' }
    | FilePart
    | WantedFile
  )[]
}
