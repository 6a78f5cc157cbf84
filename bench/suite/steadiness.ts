import { percentile } from './statistics.ts'

/** What a service and its children hold at a moment. */
export interface Sample {
  /** Resident memory of the service itself. */
  readonly megabytes: number
  /** Of the child process that holds the most; 0 without one. */
  readonly childMegabytes: number
  /** Open files and pipes. */
  readonly files: number
  readonly sockets: number
  readonly children: number
}

export interface Growth {
  readonly what: string
  /** Medians of the first and the last third. */
  readonly first: number
  readonly last: number
  readonly isFlat: boolean
}

/**
 * By how much the last third may be above the first: a share of it, and what chance adds. Reads that
 * overlap start further processes, at most five of the default settings, and each document that is read
 * has one.
 */
const allowed = {
  megabytes: { share: 0.1, more: 5 },
  childMegabytes: { share: 0.1, more: 5 },
  files: { share: 0, more: 5 },
  sockets: { share: 0.1, more: 5 },
  children: { share: 0, more: 3 },
} as const

const names = {
  megabytes: 'memory in MB',
  childMegabytes: 'memory of the largest child process in MB',
  files: 'open files',
  sockets: 'sockets',
  children: 'child processes',
} as const

/** Compares the last third of the samples with the first. */
export function growths(samples: readonly Sample[]): readonly Growth[] {
  const third = Math.floor(samples.length / 3)
  const keys = Object.keys(allowed) as (keyof Sample)[]
  return keys.map((key) => {
    const median = (of: readonly Sample[]) =>
      Math.round(
        percentile(
          of.map((sample) => sample[key]),
          0.5,
        ),
      )
    const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))]
    const { share, more } = allowed[key]
    return { what: names[key], first, last, isFlat: last <= first * (1 + share) + more }
  })
}
