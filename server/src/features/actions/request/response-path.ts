type Step = string | number | '*'

export interface ResponsePath {
  readonly steps: readonly { readonly key: Step; readonly isWild: boolean }[]
}

const stepPattern = /\.?([^.[\]"']+)|\[(\d+)\]|\[(\*)\]|\[(?:"([^"]*)"|'([^']*)')\]/y

/**
 * Reads `data.items[0].name`: names, `["names with dots"]`, indexes, and `[*]` for every item.
 * A `$` at the beginning, as in JSONPath, is ignored.
 *
 * @returns null when it is not such a path
 */
export function parseResponsePath(path: string): ResponsePath | null {
  const text = path.trim().replace(/^\$\.?/, '')
  const steps: { key: Step; isWild: boolean }[] = []
  for (let at = 0; at < text.length;) {
    stepPattern.lastIndex = at
    const match = stepPattern.exec(text)
    if (match === null || (steps.length === 0 && match[0].startsWith('.'))) return null
    const [whole, name, index, wild, quoted, single] = match
    const key = index === undefined ? (name ?? quoted ?? single ?? '') : Number(index)
    steps.push(wild === undefined ? { key, isWild: key === '*' } : { key: '*', isWild: true })
    at += whole.length
  }
  return { steps }
}

/** The value at the path; undefined if there is none. With `[*]`, a list of all values. */
export function followPath(value: unknown, { steps }: ResponsePath): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (!step.isWild) return followPath(childOf(value, step.key), { steps: rest })
  if (typeof value !== 'object' || value === null) return undefined
  return Object.values(value)
    .map((one) => followPath(one, { steps: rest }))
    .filter((one) => one !== undefined)
}

function childOf(value: unknown, key: Step): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  // Any own property of an object that came from JSON may be read.
  return (value as Record<string | number, unknown>)[key]
}
