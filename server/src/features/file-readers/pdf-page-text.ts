/** A run of characters as pdf.js finds it. Lengths are in points, y points upwards. */
interface TextItem {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  readonly width: number
  /** A matrix of six numbers; the last two are the position. */
  readonly transform: readonly number[]
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
export function pageText(items: readonly TextItem[]): string {
  const lines = linesOf(items)
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

function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = []
  let open: Line | null = null
  let endX = 0
  for (const { str, hasEOL, height, width, transform } of items) {
    const [x = 0, y = 0] = transform.slice(4)
    const isNext = open !== null && Math.abs(open.y - y) > Math.max(open.height, 1) * 0.5
    if (isNext && str.trim() !== '') open = null
    if (open === null) {
      open = { text: '', height: 0, y }
      lines.push(open)
    } else if (x - endX > height * 0.15 && !/\s$/.test(open.text)) open.text += ' '
    open.text += str
    open.height = Math.max(open.height, height)
    endX = x + width
    if (hasEOL) open = null
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
