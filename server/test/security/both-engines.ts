/** A test that ran. */
interface Ran {
  readonly file: string
  /** With the titles of its suites, which end with the engine in brackets. */
  readonly title: string
}

/** Files with suites of one engine alone, and why. */
const ofOneEngine: Readonly<Record<string, string>> = {
  'test/attacks/two-processes.test.ts': 'processes share PostgreSQL only',
}

const engines = ['sqlite', 'postgres'] as const

/** What is wrong if the tests did not run on both engines: a run of one shows only half. */
export function missingEngines(runs: readonly Ran[]): readonly string[] {
  const ranOn = (of: readonly Ran[]) =>
    engines.filter((engine) => of.some(({ title }) => title.includes(`[${engine}]`)))
  const lacking = (name: string, of: readonly Ran[]) => {
    const ran: readonly string[] = ranOn(of)
    return engines
      .filter((engine) => !ran.includes(engine))
      .map((engine) => `${name} did not run on ${engine}`)
  }
  const files = Object.entries(Object.groupBy(runs, ({ file }) => file))
  const ofFiles = files.flatMap(([file, of = []]) =>
    ranOn(of).length === 0 || Object.hasOwn(ofOneEngine, file) ? [] : lacking(file, of),
  )
  return [...lacking('the tests', runs), ...ofFiles]
}
