import { decodeText } from './decode-text.ts'
import type { DocumentReader, Section } from './document.ts'

/** UTF-16 code units: a short book. Longer texts are read part by part. */
const sectionLength = 256 * 1024

/** Plain text and Markdown. */
export const readText: DocumentReader = async (bytes, { charset }) => ({
  sections: textSections(decodeText(bytes, charset)),
})

async function* textSections(pieces: AsyncIterable<string>): AsyncGenerator<Section> {
  let open = ''
  for await (const piece of pieces) {
    open += piece
    while (open.length >= sectionLength * 2) {
      const end = placeToCut(open)
      yield { text: open.slice(0, end), page: null, progress: 0 }
      open = open.slice(end)
    }
  }
  yield { text: open, page: null, progress: 1 }
}

/** Before a heading if there is one, else between paragraphs, else between lines. */
function placeToCut(text: string): number {
  for (const boundary of ['\n# ', '\n## ', '\n\n', '\n']) {
    const at = text.lastIndexOf(boundary, sectionLength * 2 - 1)
    if (at >= sectionLength / 2) return at + 1
  }
  return sectionLength
}
