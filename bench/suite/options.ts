import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './machine.ts'

export interface Options {
  /** The settings to measure; empty means all. */
  readonly only: readonly string[]
  /** The servers to compare; empty means all. */
  readonly subjects: readonly string[]
  readonly rounds: number
  /** How long each load lasts. */
  readonly seconds: number
  /** Small sizes and short loads: shows that the bench works, not how fast anything is. */
  readonly quick: boolean
  /** A commit that is measured beside this tree. */
  readonly base: string | null
  readonly output: string
  /** Whether the settings are added to the results in the folder, which are of the same commit. */
  readonly adds: boolean
  /** The folder of the Cranfield collection. */
  readonly cranfield: string
}

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      subjects: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      base: { type: 'string' },
      output: { type: 'string', default: join(root, 'bench', 'results') },
      add: { type: 'boolean', default: false },
      cranfield: { type: 'string', default: join(root, '..', 'shared', 'data', 'cranfield') },
    },
  })
  const { quick, output, cranfield } = values
  return {
    only: names(values.only),
    subjects: names(values.subjects),
    rounds: positive('rounds', values.rounds ?? (quick ? '1' : '3')),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '5')),
    quick,
    base: values.base ?? null,
    output,
    adds: values.add,
    cranfield,
  }
}

export function names(list: string): string[] {
  return list.split(',').filter((name) => name !== '')
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (number > 0) return number
  throw new Error(`--${name} must be a number above 0, not ${text}`)
}
