import { z } from 'zod'

/** SPDX names of licences that allow use, change and distribution with this project. */
const allowed: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Copyleft per file: its packages are used unchanged.
  'MPL-2.0',
  // Fonts, which may be bundled and must not be sold alone.
  'OFL-1.1',
  'Unlicense',
  'Zlib',
]

const unnamed = 'no licence is named'

/** Packages with an unusual entry whose licence was read. */
const known: Readonly<Record<string, string>> = {
  // Apache-2.0 and MIT; the tests use it.
  '@modelcontextprotocol/inspector': 'SEE LICENSE IN LICENSE',
  // MIT, in a file of the package; the tests use them.
  '@llamaindex/core': unnamed,
  '@llamaindex/env': unnamed,
  '@llamaindex/openai': unnamed,
}

/** Names that are no SPDX names, as some packages write them. */
const spellings: Readonly<Record<string, string>> = { BSD: 'BSD-3-Clause', Apache: 'Apache-2.0' }

interface LockedPackage {
  readonly license?: string | undefined
  readonly version?: string | undefined
}

/** One line for each package whose licence is not allowed. */
export function licenceProblems(packages: readonly (readonly [string, LockedPackage])[]): string[] {
  return packages.flatMap(([path, { license = unnamed, version }]) => {
    const name = path.replace(/^.*node_modules\//, '')
    const isFine = known[name] === license || isAllowed(license)
    return isFine ? [] : [`${name} ${version ?? ''}: ${license}`]
  })
}

/** Of an SPDX expression: every part of an AND, and one of an OR. */
function isAllowed(expression: string): boolean {
  const bare = expression.replaceAll(/[()]/g, '')
  return bare
    .split(' OR ')
    .some((choice) =>
      choice.split(' AND ').every((name) => allowed.includes(spellings[name] ?? name)),
    )
}

const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.looseObject({ severity: z.string(), range: z.string(), via: z.array(z.unknown()) }),
  ),
})
const advisory = z.looseObject({ title: z.string(), url: z.string() })

/** One line for each known advisory; null if the registry did not answer. */
export function advisoriesOf(output: string): string[] | null {
  const parsed = report.safeParse(jsonOrNull(output))
  if (!parsed.success) return null
  return Object.entries(parsed.data.vulnerabilities).flatMap(([name, { severity, range, via }]) =>
    via.flatMap((cause) => {
      const { data } = advisory.safeParse(cause)
      return data === undefined
        ? []
        : [`${name} ${range}: ${severity}, ${data.title} (${data.url})`]
    }),
  )
}

const failure = z.looseObject({ message: z.string(), statusCode: z.number().optional() })

/** Why there are no advisories, in a few words that name no address; npm's JSON is its only source. */
export function whyUnanswered(output: string): string {
  const { data } = failure.safeParse(jsonOrNull(output))
  if (data?.statusCode === undefined) return 'the registry cannot be reached'
  const words = data.message.split(' - ')[0]?.trim()
  return `the registry answers ${words === undefined || words === '' ? data.statusCode : words}`
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // npm prints nothing, or a page, if it cannot reach the registry.
    return null
  }
}
