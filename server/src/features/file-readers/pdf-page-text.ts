/** A run of characters with its position on the page. Lengths are in points, y points upwards. */
export interface PdfPiece {
  readonly text: string
  readonly endsLine: boolean
  readonly height: number
  readonly width: number
  readonly x: number
  readonly y: number
}

interface Line {
  text: string
  height: number
  y: number
}

/** Short lines that are this much taller than most are headings. */
const headingFactor = 1.25
const maxHeadingLength = 120
/** Lines further apart than this many times their height are in different paragraphs. */
const paragraphFactor = 1.8

/** A page as Markdown. Paragraphs are detected by the space between lines, headings by their size. */
export function pageText(pieces: readonly PdfPiece[]): string {
  const lines = linesOf(pieces)
  const usual = usualHeight(lines)
  const out: string[] = []
  let before: Line | null = null
  for (const line of lines) {
    const isHeading = line.height > usual * headingFactor && line.text.length <= maxHeadingLength
    const gap = before === null ? 0 : Math.abs(before.y - line.y)
    const isNew = before === null || gap > Math.max(before.height, line.height) * paragraphFactor
    if (isHeading) out.push('', `## ${line.text}`, '')
    else if (isNew) out.push('', line.text)
    else out.push(line.text)
    before = line
  }
  // Joins words that are hyphenated at the end of a line.
  return out.join('\n').replaceAll(/(\p{Ll})[-\u00ad]\n(\p{Ll})/gu, '$1$2')
}

function linesOf(pieces: readonly PdfPiece[]): Line[] {
  const lines: Line[] = []
  let open: Line | null = null
  let endX = 0
  for (const piece of pieces) {
    const isNext = open !== null && Math.abs(open.y - piece.y) > Math.max(open.height, 1) * 0.5
    if (isNext && piece.text.trim() !== '') open = null
    if (open === null) {
      open = { text: '', height: 0, y: piece.y }
      lines.push(open)
    } else if (piece.x - endX > piece.height * 0.15 && !/\s$/.test(open.text)) open.text += ' '
    open.text += piece.text
    open.height = Math.max(open.height, piece.height)
    endX = piece.x + piece.width
    if (piece.endsLine) open = null
  }
  return lines
    .map((line) => ({ ...line, text: line.text.replaceAll(/\s+/g, ' ').trim() }))
    .filter(({ text }) => text !== '')
}

/** The height of most characters. */
function usualHeight(lines: readonly Line[]): number {
  const characters = new Map<number, number>()
  for (const { text, height } of lines) {
    const rounded = Math.round(height * 2) / 2
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length)
  }
  return [...characters].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0
}
