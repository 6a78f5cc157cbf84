import { createRequire } from 'node:module'
import type * as iso3166 from 'iso-3166'
import { normalized } from '#kernel/normalized.ts'

/** In these countries states are known by name, too. Elsewhere a state is compared as it is written. */
const countries: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])

/** Names that addresses use beside those of the standard. */
const otherNames = [
  { code: 'US-DC', name: 'Washington DC', parent: 'US' },
  { code: 'US-VI', name: 'US Virgin Islands', parent: 'US' },
  { code: 'US-VI', name: 'Virgin Islands', parent: 'US' },
]

const require = createRequire(import.meta.url)

/** Codes of ISO 3166-2 without the country, by country and normalised name. */
let codes: ReadonlyMap<string, string> | null = null

/** The list of all countries takes 2 MB, so it is loaded when a state is first compared by name. */
function loadCodes(): ReadonlyMap<string, string> {
  // The type is that of the package.
  const { iso31662 } = require('iso-3166') as typeof iso3166
  const places = [...iso31662, ...otherNames].filter(({ parent }) => countries.has(parent))
  return new Map(
    places.map(({ code, name, parent }) => [
      `${parent} ${normalise(name)}`,
      code.slice(parent.length + 1),
    ]),
  )
}

/**
 * A state in the one form that states are compared in: `ca`, `US-CA` and `California` are `CA` in
 * the US.
 *
 * @param country a code of ISO 3166-1, in capitals
 */
export function regionCode(state: string, country: string): string {
  if (/^[A-Z]{1,3}$/.test(state)) return state
  const text = normalise(state)
  const prefix = `${country} `
  const own = text.startsWith(prefix) ? text.slice(prefix.length) : text
  codes ??= loadCodes()
  return codes.get(prefix + text) ?? codes.get(prefix + own) ?? own
}

/** In capitals, without accents and dots, `&` as a word, with one space between words. */
function normalise(text: string): string {
  return normalized(text, 'NFD')
    .replaceAll(/[\p{M}.]/gu, '')
    .replaceAll('&', ' and ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toUpperCase()
}
