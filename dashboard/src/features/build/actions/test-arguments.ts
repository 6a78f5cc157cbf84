import type { Action, ParameterDraft } from './action-draft.ts'

/** The typed values, as a model would pass them. Null if one is not valid JSON. */
export function argumentsOf(
  wanted: readonly ParameterDraft[],
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> | null {
  const given = wanted.flatMap(({ key, type }) => {
    const value = typed[key] ?? ''
    return value === '' ? [] : [{ key, value, isText: type === 'string' }]
  })
  try {
    return Object.fromEntries(
      given.map(({ key, value, isText }) => [key, isText ? value : JSON.parse(value)]),
    )
  } catch {
    return null
  }
}

/** A summary of the request: its URL with the arguments, and the other parameters below. */
export function requestOf(
  { method, url, parameters }: Action,
  given: Readonly<Record<string, unknown>>,
): string {
  const shown = new Map(Object.entries(given).map(([key, value]) => [key, show(value)]))
  const address = url.replaceAll(/(?<!\{)\{([^{}]+)\}(?!\})/g, (whole, key: string) =>
    encodeURIComponent(shown.get(key) ?? whole),
  )
  const rest = parameters.flatMap(({ in: place, key }) => {
    const value = shown.get(String(key))
    return place === 'path' || value === undefined
      ? []
      : [`${String(place)} ${String(key)}: ${value}`]
  })
  return [`${method} ${address}`, ...rest].join('\n')
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
