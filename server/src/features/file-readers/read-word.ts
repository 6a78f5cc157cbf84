import mammoth from 'mammoth'
import { parse } from 'parse5'
import { Fault } from '#kernel/fault.ts'
import { documentFaults, type DocumentReader } from './document.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { requireOfficeFile } from './require-office-file.ts'

/** Word (.docx): its styles say what is a heading, a list or a table. */
export const readWord: DocumentReader = async (bytes) => {
  const buffer = Buffer.concat(await Array.fromAsync(bytes))
  await requireOfficeFile(buffer)
  const text = htmlToMarkdown(parse(await toHtml(buffer)))
  return { sections: [{ text, page: null, progress: 1 }] }
}

async function toHtml(buffer: Buffer): Promise<string> {
  try {
    const noImages = mammoth.images.imgElement(async () => ({ src: '' }))
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        convertImage: noImages,
        externalFileAccess: false,
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
      },
    )
    return value
  } catch (error) {
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}
