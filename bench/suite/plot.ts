import { digits, subjectName } from './markdown.ts'
import type { Metric, Summary } from './results.ts'

const colors: Readonly<Record<string, string>> = {
  bare: '#9aa5b1',
  portkey: '#d98e04',
  voltagent: '#b0436e',
  sqlite: '#2563eb',
  postgres: '#0f766e',
  'base-sqlite': '#93b4f5',
  'base-postgres': '#7cc4bc',
}

const width = 760
const labelWidth = 190
const barHeight = 16
const groupGap = 26
const top = 44

/** The metric of each setting that its plot shows. */
export const plotted: Readonly<Record<string, { metric: Metric; title: string }>> = {
  whole: { metric: 'perSecond', title: 'Whole turns per second' },
  streams: { metric: 'perSecond', title: 'Streams per second' },
  paced: { metric: 'cores', title: 'Cores for 200 paced streams' },
  crowd: { metric: 'firstP50Ms', title: 'First word of 1,000 streams, p50 ms' },
  memory: { metric: 'memoryMb', title: 'Memory under 200 callers, MB' },
  disk: { metric: 'perSecond', title: 'Whole turns per second by disk' },
  sessions: { metric: 'p50Ms', title: 'A turn of a long session, p50 ms' },
  agents: { metric: 'perSecond', title: 'Whole turns per second by number of agents' },
  tools: { metric: 'perSecond', title: 'MCP requests per second' },
  shop: { metric: 'perSecond', title: 'Shop requests per second' },
  import: { metric: 'seconds', title: 'Importing products, seconds' },
  search: { metric: 'p50Ms', title: 'A search, p50 ms' },
}

/** Horizontal bars from zero, grouped by case: the median, with a line from the least to the most. */
export function plot(title: string, metric: Metric, summaries: readonly Summary[]): string {
  // The model alone would make every other bar short.
  const shown = summaries.filter((one) => one.subject !== 'direct' && one.values[metric])
  const scale =
    (width - labelWidth - 90) / Math.max(...shown.map(({ values }) => values[metric]?.most ?? 0))
  const parts: string[] = []
  let y = top
  for (const [name, bars] of Map.groupBy(shown, (one) => one.case)) {
    parts.push(text(0, y + 12, name, 'font-weight="600"'))
    y += groupGap - 6
    for (const bar of bars) {
      parts.push(barOf(bar, metric, scale, y))
      y += barHeight + 4
    }
    y += groupGap - 16
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 0 ${width + 32} ${y}" width="${width + 32}" height="${y}" font-family="system-ui, sans-serif" font-size="12" fill="#1f2933">`,
    `<rect x="-16" width="${width + 32}" height="${y}" fill="#fff"/>`,
    text(0, 24, title, 'font-size="15" font-weight="700"'),
    ...parts,
    '</svg>\n',
  ].join('\n')
}

function barOf({ subject, values }: Summary, metric: Metric, scale: number, y: number): string {
  const { median, least, most } = values[metric] ?? { median: 0, least: 0, most: 0 }
  const at = (value: number) => (labelWidth + value * scale).toFixed(1)
  const middle = y + barHeight / 2
  const length = (median * scale).toFixed(1)
  return [
    text(labelWidth - 8, y + 12, subjectName(subject), 'text-anchor="end"'),
    `<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2" fill="${colors[subject] ?? '#52606d'}"/>`,
    `<path d="M${at(least)} ${middle}H${at(most)}" stroke="#1f2933" stroke-width="1.5"/>`,
    text(Number(at(most)) + 6, y + 12, digits(median), ''),
  ].join('\n')
}

function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`
}
