import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Results } from './results.ts'

/** What two runs must have in common for their numbers to be on one page. */
type Conditions = Pick<Results, 'tree' | 'machine' | 'peers' | 'options'>

/**
 * The results in a folder, to which a run adds its settings.
 *
 * @throws Error if they were not measured as this run will measure
 */
export async function readEarlier(folder: string, now: Conditions): Promise<Results> {
  // The bench itself wrote the file.
  const earlier = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')) as Results
  if (now.tree.changed || !isDeepStrictEqual(conditionsOf(earlier), conditionsOf(now)))
    throw new Error('--add needs results of this commit, on this machine, with the same options')
  return earlier
}

/** The base is not compared: only some settings measure it. */
function conditionsOf({ tree, machine, peers, options }: Conditions) {
  return { tree, machine, peers, options: { ...options, base: null } }
}

/** Settings that both have are those of the later run. */
export function addTo(earlier: Results, now: Results): Results {
  const measured = new Set(now.measurements.map(({ setting }) => setting))
  const kept = earlier.measurements.filter(({ setting }) => !measured.has(setting))
  return {
    ...now,
    startedAt: earlier.startedAt,
    minutes: earlier.minutes + now.minutes,
    options: { ...now.options, base: now.options.base ?? earlier.options.base },
    measurements: [...kept, ...now.measurements],
    notes: [...new Set([...earlier.notes, ...now.notes])],
  }
}
