import { CpuSlice } from '#kernel/cpu-slice.ts'

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

/**
 * The value at the path; undefined if there is none. With `[*]`, a list of all values. An answer may
 * have many, so it works in slices of time.
 */
export async function followPath(value: unknown, { steps }: ResponsePath): Promise<unknown> {
  return await follow(value, steps, 0, new CpuSlice())
}

async function follow(
  value: unknown,
  steps: ResponsePath['steps'],
  from: number,
  slice: CpuSlice,
): Promise<unknown> {
  let found = value
  for (let at = from; at < steps.length && found !== undefined; at += 1) {
    const step = steps[at]
    if (step?.isWild === true) return await followAll(found, steps, at + 1, slice)
    if (step !== undefined) found = childOf(found, step.key)
  }
  return found
}

async function followAll(
  value: unknown,
  steps: ResponsePath['steps'],
  from: number,
  slice: CpuSlice,
): Promise<unknown[] | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  const all: unknown[] = []
  for (const one of Object.values(value)) {
    if (slice.isOver) await slice.next()
    const found = from === steps.length ? one : await follow(one, steps, from, slice)
    if (found !== undefined) all.push(found)
  }
  return all
}

function childOf(value: unknown, key: Step): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  // Any own property of an object that came from JSON may be read.
  return (value as Record<string | number, unknown>)[key]
}
