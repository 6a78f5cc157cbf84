import { subjectNames } from '../subjects/subject.ts'
import { count } from './case-names.ts'
import { judge, type JudgedGoal } from './goals.ts'
import { metrics, type Metric, type Results, type Summary } from './results.ts'
import type { Spread } from './statistics.ts'

/** The results as a page: the goals, then a table and a plot for each setting. */
export function page(
  results: Results,
  summaries: readonly Summary[],
  plots: ReadonlyMap<string, string>,
): string {
  const settings = Map.groupBy(summaries, ({ setting }) => setting)
  return [
    '# Results of `npm run bench`',
    'Written by the command, with every number of every round in `results.json`. [The README](../README.md) describes the settings.',
    circumstances(results),
    ...(results.notes.length > 0 ? [results.notes.map((note) => `- ${note}`).join('\n')] : []),
    '## Goals',
    table(['What', 'Goal', 'Measured', ''], judge(results.measurements).map(goalRow)),
    ...[...settings].flatMap(([setting, lines]) => [
      `## ${setting}`,
      ...(plots.has(setting) ? [`![${setting}](${plots.get(setting)})`] : []),
      settingTable(lines),
    ]),
  ]
    .join('\n\n')
    .concat('\n')
}

function circumstances({ tree, machine, options, startedAt, minutes, peers }: Results): string {
  const commit = `Commit ${tree.commit}${tree.changed ? ' with changes' : ''}`
  const base = options.base === null ? '' : ` beside ${String(options.base)}`
  const rounds = `${count(Number(options.rounds), 'round')} of ${options.seconds} s`
  const load = options.quick === true ? `${rounds}, quick` : rounds
  const others = ['@portkey-ai/gateway', '@voltagent/core'].map((name) => `${name} ${peers[name]}`)
  return [
    `${commit}${base}, ${startedAt.slice(0, 10)}: ${load}, ${count(minutes, 'minute')} in all.`,
    `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.platform}, Node ${machine.node}; ${others.join(', ')}.`,
    'Each cell is the median of the rounds, with the least and the most in brackets.',
  ].join('\n')
}

function goalRow({ what, goal, measured, starved, isReached }: JudgedGoal): string[] {
  const without = starved === 0 ? '' : `, without ${count(starved, 'round')} on a busy machine`
  if (measured === null) return [what, goal, '—', `not measured${without}`]
  const verdict = isReached === true ? 'reached' : 'not reached'
  return [what, goal, written(measured), `${verdict}${without}`]
}

function settingTable(lines: readonly Summary[]): string {
  // The keys of the table of metrics.
  const all = Object.keys(metrics) as Metric[]
  const used = all.filter((metric) =>
    lines.some(({ values }) =>
      metric === 'failures' ? (values.failures?.most ?? 0) > 0 : values[metric] !== undefined,
    ),
  )
  const rows = lines.map(({ case: name, subject, values }) => [
    name,
    subjectName(subject),
    ...used.map((metric) => (values[metric] === undefined ? '—' : written(values[metric]))),
  ])
  return table(['Case', 'Server', ...used.map((metric) => metrics[metric])], rows)
}

export function subjectName(subject: string): string {
  return Object.entries(subjectNames).find(([key]) => key === subject)?.[1] ?? subject
}

/** Three digits are more than the noise leaves. */
export function written({ median, least, most }: Spread): string {
  return least === most ? digits(median) : `${digits(median)} (${digits(least)}–${digits(most)})`
}

export function digits(value: number): string {
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  return rounded.toLocaleString('en', { maximumFractionDigits: 4 })
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  // Numbers are easier to compare when they end at the same place.
  const align = head.map((_, index) => (index < 2 ? '---' : '---:'))
  return [line(head), line(align), ...rows.map(line)].join('\n')
}
