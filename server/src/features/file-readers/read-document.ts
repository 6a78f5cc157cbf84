import { Fault } from '#kernel/fault.ts'
import type { Bytes, DocumentHints, DocumentReader, Reading } from './document.ts'
import { documentFaults } from './document.ts'
import type { DocumentFormat } from './document-format.ts'

/** Each reader is loaded with its first document, so that only used libraries take memory. */
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
 * Reads a document as sections of Markdown. To be called only in a bounded worker, because the bytes are
 * untrusted.
 *
 * @throws Fault of documentFaults, here or while its sections are read
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
    // Nested deeper than the stack or longer than a string can be: no normal program writes that.
    if (!(error instanceof RangeError)) throw error
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}
