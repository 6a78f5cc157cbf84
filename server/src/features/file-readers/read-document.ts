import { Fault } from '#kernel/fault.ts'
import type { Bytes, DocumentHints, DocumentReader, Reading } from './document.ts'
import { documentFaults } from './document.ts'
import type { DocumentFormat } from './document-format.ts'

/** Each is loaded with its first document: a service at rest has none of their libraries in memory. */
const readers: Record<DocumentFormat, () => Promise<DocumentReader>> = {
  text: async () => (await import('./read-text.ts')).readText,
  html: async () => (await import('./read-html.ts')).readHtml,
  pdf: async () => (await import('./read-pdf.ts')).readPdf,
  word: async () => (await import('./read-word.ts')).readWord,
  excel: async () => (await import('./read-excel.ts')).readExcel,
  csv: async () => (await import('./read-csv.ts')).readCsv,
  sitemap: async () => (await import('./read-sitemap.ts')).readSitemap,
}

/**
 * Reads a document as sections of Markdown. To be called in a bounded worker only: nobody vouches for
 * the bytes.
 *
 * @throws Fault those of documentFaults, here or while its sections are read
 */
export async function readDocument(
  format: DocumentFormat,
  bytes: Bytes,
  hints: DocumentHints,
): Promise<Reading> {
  const read = await readers[format]()
  try {
    return await read(bytes, hints)
  } catch (error) {
    // Nested deeper than the stack, longer than a text can be: what no program would have written.
    if (!(error instanceof RangeError)) throw error
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}
