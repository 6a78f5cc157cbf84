import { getDocumentProxy } from 'unpdf'
import { Fault } from '#kernel/fault.ts'
import { documentFaults, type DocumentReader, type Section } from './document.ts'
import { pageText } from './pdf-page-text.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** PDF, page by page. Damaged pages do not affect others, and scanned pages have no text. */
export const readPdf: DocumentReader = async (bytes) => {
  const all = Buffer.concat(await Array.fromAsync(bytes))
  const pagesSaid = pagesSaidOf(all)
  const pdf = await openPdf(all)
  return {
    title: await titleOf(pdf),
    pageCount: pdf.numPages,
    sections: pagesOf(pdf, pagesSaid),
  }
}

async function openPdf(bytes: Buffer): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
    })
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    const { document_locked, document_damaged } = documentFaults
    throw new Fault(isLocked ? document_locked : document_damaged, {}, { cause: error })
  }
}

async function titleOf(pdf: Pdf): Promise<string | null> {
  try {
    const { info } = await pdf.getMetadata()
    // The library types the metadata as an object without fields.
    const { Title: title } = info as { Title?: unknown }
    return typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 500) : null
  } catch {
    // Missing or damaged metadata does not matter: the pages do.
    return null
  }
}

async function* pagesOf(pdf: Pdf, pagesSaid: number): AsyncGenerator<Section> {
  let isLost = false
  for (let number = 1; number <= pdf.numPages; number++) {
    const text = await readPage(pdf, number)
    isLost = text === null
    yield { text, page: number, progress: number / pdf.numPages }
  }
  // If the page tree is damaged, the library's list ends with the first lost page.
  if (!isLost) return
  for (let number = pdf.numPages + 1; number <= pagesSaid; number++)
    yield { text: null, page: number, progress: 1 }
}

/** A node of the page tree. The one with the highest count is the root. */
const pageTreeNode = /<<(?=[^<>]*\/Type\s*\/Pages\b)[^<>]*\/Count\s+(\d{1,5})\b/g

const searchedBytes = 1024 * 1024
const maxNodeLength = 16 * 1024

/** The number of pages in the root of the page tree, if it can be read without a parser; else 0. */
function pagesSaidOf(bytes: Buffer): number {
  let most = 0
  for (let at = 0; at < bytes.length; at += searchedBytes) {
    const part = bytes.toString('latin1', at, at + searchedBytes + maxNodeLength)
    for (const [, count] of part.matchAll(pageTreeNode)) most = Math.max(most, Number(count))
  }
  return most
}

async function readPage(pdf: Pdf, number: number): Promise<string | null> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const text = pageText(items.filter((item) => 'str' in item))
    page.cleanup()
    return text
  } catch {
    // The caller reports the page: the library's error has no more detail.
    return null
  }
}
