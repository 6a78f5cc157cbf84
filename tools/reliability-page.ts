import { z } from 'zod'

/** A line of `.cache/reliability`: what one test recorded, at which commit and when. */
export const measurement = z.object({
  fault: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  tries: z.number(),
  lost: z.number(),
  failed: z.number(),
  healthyAfterMs: z.number(),
  rounds: z.number().nullable(),
  /** How long the two versions of an upgrade ran beside each other. */
  upgradeMinutes: z.number(),
  /** The last one that changed the service. */
  commit: z.string(),
  /** `2026-01-31` */
  date: z.string(),
})
export type Measurement = z.infer<typeof measurement>

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const introduction = [
  '# Reliability',
  '',
  '`npm run reliability` runs the tests of faults and writes this page. Each test causes a real fault',
  'while a service answers: it kills processes, stops servers, fills disks. The services run as',
  '`npm start` runs them, on SQLite and PostgreSQL with durability on.',
  '',
  '- **Tries** are the turns, requests or operations of the run.',
  '- **Lost** are those that were acknowledged and are not stored, not complete or not readable afterwards.',
  '  Only a replica loses some: it is a moment late ([Backup](backup.md#continuous-replication-of-sqlite)).',
  '- **Failed** are tries that ended with an error, most of them 503, or with a broken connection. Their',
  '  callers can retry.',
  '- **Healthy after** is the time from the end of the fault, or from the restart of a process that was',
  '  killed, to the next success: the longest of all rounds, on a machine with two cores that did other',
  '  work as well. It is 0 where requests were answered throughout.',
].join('\n')

const header = [
  '| Fault | Engine | Tries | Lost | Failed | Healthy after |',
  '|---|---|---|---|---|---|',
]

/** One measurement for each fault and engine, of all tests that cause it. */
export function merged(all: readonly Measurement[]): readonly Measurement[] {
  const groups = Map.groupBy(all, ({ fault, engine }) => `${fault} ${engine}`)
  return [...groups.values()]
    .map((same) =>
      same.reduce((one, other) => ({
        ...one,
        tries: one.tries + other.tries,
        lost: one.lost + other.lost,
        failed: one.failed + other.failed,
        healthyAfterMs: Math.max(one.healthyAfterMs, other.healthyAfterMs),
      })),
    )
    .toSorted(
      (one, other) =>
        one.fault.localeCompare(other.fault) || one.engine.localeCompare(other.engine),
    )
}

/** The text of `docs/reliability.md`. */
export function pageText(all: readonly Measurement[]): string {
  const rows = merged(all).map(({ fault, engine, tries, lost, failed, healthyAfterMs }) => {
    const seconds = (healthyAfterMs / 1000).toFixed(1)
    return `| ${fault} | ${engines[engine]} | ${tries} | ${lost} | ${failed} | ${seconds} s |`
  })
  return `${introduction}\n\n${circumstances(all)}\n\n${[...header, ...rows].join('\n')}\n`
}

function circumstances(all: readonly Measurement[]): string {
  const rounds = listed(all.map((one) => String(one.rounds ?? 'the default')))
  const minutes = listed(all.map((one) => String(one.upgradeMinutes)))
  const dates = listed(all.map(({ date }) => date))
  const commits = listed(all.map(({ commit }) => `\`${commit}\``))
  return [
    `Measured on ${dates}. Last commit that changed the service: ${commits}.`,
    `Rounds of the tests that repeat a kill (\`FAULT_ROUNDS\`): ${rounds}.`,
    `Minutes that the two versions of an upgrade ran beside each other (\`UPGRADE_MINUTES\`): ${minutes}.`,
  ].join('\n')
}

function listed(of: readonly string[]): string {
  return [...new Set(of)].toSorted().join(', ')
}
