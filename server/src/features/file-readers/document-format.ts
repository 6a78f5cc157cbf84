export const documentFormats = ['text', 'html', 'pdf', 'word', 'excel', 'csv', 'sitemap'] as const
export type DocumentFormat = (typeof documentFormats)[number]

const byExtension: Readonly<Record<string, DocumentFormat>> = {
  txt: 'text',
  text: 'text',
  log: 'text',
  md: 'text',
  markdown: 'text',
  mdx: 'text',
  rst: 'text',
  json: 'text',
  yaml: 'text',
  yml: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'word',
  xlsx: 'excel',
  csv: 'csv',
  tsv: 'csv',
}

const byMediaType: Readonly<Record<string, DocumentFormat>> = {
  'text/plain': 'text',
  'text/markdown': 'text',
  'application/json': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'word',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'excel',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/xml': 'sitemap',
  'text/xml': 'sitemap',
}

/** The extensions of supported uploads, for people to read. */
export const knownExtensions: readonly string[] = Object.keys(byExtension)

export interface DocumentName {
  readonly filename?: string | null
  /** As in `Content-Type`, with or without parameters. */
  readonly mediaType?: string | null
}

/**
 * The format of a document by its media type or else by its extension: file servers send a correct type
 * or none (`application/octet-stream`). Null for an unsupported one.
 */
export function formatOf({ filename, mediaType }: DocumentName): DocumentFormat | null {
  const type = mediaType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  const named = byExtension[extension] ?? null
  const typed = byMediaType[type] ?? null
  // Markdown, CSV and code are often served as plain text: then the extension is more precise.
  if (typed === null || typed === 'text') return named ?? typed ?? textLike(type)
  return typed
}

function textLike(type: string): DocumentFormat | null {
  return type.startsWith('text/') ? 'text' : null
}

/** The `charset` parameter of a `Content-Type`. */
export function charsetOf(mediaType: string | null | undefined): string | null {
  return /;\s*charset="?([\w.:-]+)/i.exec(mediaType ?? '')?.[1]?.toLowerCase() ?? null
}
