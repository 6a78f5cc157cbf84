import { getDocumentProxy } from 'unpdf'
import { Fault } from '#kernel/fault.ts'
import { collectBytes, documentFaults, type DocumentReader, type Section } from './document.ts'
import { pageText, type PdfPiece } from './pdf-page-text.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** PDF, page by page; of scanned pages nothing can be read. */
export const readPdf: DocumentReader = async (bytes) => {
  const pdf = await openPdf(await collectBytes(bytes))
  return {
    title: await titleOf(pdf),
    pageCount: pdf.numPages,
    web: null,
    sections: pagesOf(pdf),
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
    // The library types what a PDF says of itself as an object without fields.
    const { Title: title } = info as { Title?: unknown }
    return typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 500) : null
  } catch {
    // A PDF may say nothing of itself, or say it brokenly; its pages count.
    return null
  }
}

async function* pagesOf(pdf: Pdf): AsyncGenerator<Section> {
  for (let number = 1; number <= pdf.numPages; number++) {
    yield { text: await readPage(pdf, number), page: number, progress: number / pdf.numPages }
  }
}

async function readPage(pdf: Pdf, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const pieces = items.filter((item) => 'str' in item)
    const text = pageText(pieces.map(pieceOf))
    page.cleanup()
    return text
  } catch (error) {
    throw new Fault(documentFaults.document_damaged, { page: number }, { cause: error })
  }
}

interface TextItem {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  readonly width: number
  /** A matrix of six numbers; the last two are the place. */
  readonly transform: readonly number[]
}

function pieceOf({ str, hasEOL, height, width, transform }: TextItem): PdfPiece {
  return { text: str, endsLine: hasEOL, height, width, x: transform[4] ?? 0, y: transform[5] ?? 0 }
}
