import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { tallies } from '#kernel/tallies.ts'
import { Durations } from '#kernel/tally.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { Scrape } from '#test/support/processes/scrape.ts'
import { measure, metricsText } from './serve-metrics.ts'

const root = join(import.meta.dirname, '../../../..')
const alertFile = join(root, 'deploy/monitoring/alerts.yaml')

const alertRules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.object({ severity: z.enum(['page', 'warning', 'info']) }),
          annotations: z.object({ summary: z.string() }),
        }),
      ),
    }),
  ),
})
const dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) }),
  ),
})

const rules = alertRules
  .parse(parse(readFileSync(alertFile, 'utf8')))
  .groups.flatMap((group) => group.rules)
const panels = dashboard.parse(
  JSON.parse(readFileSync(join(root, 'deploy/monitoring/grafana-dashboard.json'), 'utf8')),
).panels

function metricsIn(expressions: readonly string[]): ReadonlySet<string> {
  const names = expressions.flatMap((expr) => expr.match(/\b(?:parley|nodejs|process)_\w+/g) ?? [])
  return new Set(names)
}

describeInstance('alerts and the dashboard', (open) => {
  test('use only metrics and labels that /metrics has, and every metric is on the dashboard', async () => {
    const { ctx } = await open()
    // So that every series exists, whatever the service has done so far.
    for (const tally of Object.values(tallies)) {
      const of = tally.about.labels.map(() => 'test').join(' ')
      if (tally instanceof Durations) tally.add(0, of)
      else tally.add(of, 0)
    }
    const own = await measure(ctx)
    const page = new Scrape(await (await metricsText(async () => [await own()])).read())
    const shown = metricsIn(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))
    const used = [...metricsIn(rules.map(({ expr }) => expr)), ...shown]
    // These have samples only while there are jobs or pools.
    const known = new Set([...page.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
    for (const name of used) expect(page.names.has(name) || known.has(name), name).toBe(true)
    const families = [...known].filter((name) => name?.startsWith('parley_'))
    for (const name of families)
      expect(
        [...shown].some((on) => on.startsWith(name ?? '')),
        name,
      ).toBe(true)
  })
})

test('every alert is explained in docs/monitoring.md', () => {
  const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8')
  for (const { alert } of rules)
    expect(page).toMatch(new RegExp(`^\\| \`${alert}\` \\| .+ \\| .+ \\|$`, 'm'))
})
