/**
 * How long answers took, counted in buckets: exact below 64 ms, within 1.6 % above that (each
 * doubling is divided into 32). Unlike percentiles, the counts of several spans can be added up; a
 * percentile of the whole is then read off.
 */
export type DurationCounts = Map<number, number>

const exactBelow = 64
const parts = 32

/** The bucket of a duration in milliseconds. Longer durations are in no lower bucket. */
export function bucketOf(milliseconds: number): number {
  const duration = Math.max(0, Math.floor(milliseconds))
  if (duration < exactBelow) return duration
  const doublings = Math.floor(Math.log2(duration / parts))
  return doublings * parts + Math.floor(duration / 2 ** doublings)
}

/** The middle of a bucket, in milliseconds: used for every duration in it. */
export function durationOf(bucket: number): number {
  if (bucket < exactBelow) return bucket
  const doublings = Math.floor(bucket / parts) - 1
  const width = 2 ** doublings
  const least = (bucket - doublings * parts) * width
  return Math.round(least + (width - 1) / 2)
}

export function countDuration(counts: DurationCounts, milliseconds: number | null): void {
  if (milliseconds === null) return
  const bucket = bucketOf(milliseconds)
  counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
}

export function addCounts(to: DurationCounts, from: DurationCounts): void {
  for (const [bucket, count] of from) to.set(bucket, (to.get(bucket) ?? 0) + count)
}

/**
 * The duration that the given share of all does not exceed (nearest rank); null if there are none.
 *
 * @param share from 0 to 1
 */
export function percentile(counts: DurationCounts, share: number): number | null {
  let total = 0
  for (const count of counts.values()) total += count
  if (total === 0) return null
  let rank = Math.max(1, Math.ceil(total * share))
  for (const bucket of Float64Array.from(counts.keys()).sort()) {
    rank -= counts.get(bucket) ?? 0
    if (rank <= 0) return durationOf(bucket)
  }
  return null
}

/** Written counts (none so far without them) with others added: `{"bucket": count}`. */
export function addToWritten(written: string | undefined, counts: DurationCounts): string {
  const sums: DurationCounts = new Map(counts)
  if (written !== undefined) addWritten(sums, written)
  return JSON.stringify(Object.fromEntries(sums))
}

const digitZero = 48
const digitNine = 57
const colon = 58
const quote = 34

/**
 * Adds written counts, several joined by commas. A view of three months reads thousands of them;
 * scanning the text takes a quarter of the time that parsing it into objects would.
 */
export function addWritten(to: DurationCounts, joined: string): void {
  const sums: number[] = []
  let bucket = 0
  let number = -1
  for (let at = 0; at < joined.length; at++) {
    const code = joined.charCodeAt(at)
    if (code >= digitZero && code <= digitNine) {
      number = (number < 0 ? 0 : number * 10) + code - digitZero
    } else if (number >= 0 && code === colon) {
      bucket = number
      number = -1
    } else if (number >= 0 && code !== quote) {
      sums[bucket] = (sums[bucket] ?? 0) + number
      number = -1
    }
  }
  sums.forEach((count, own) => to.set(own, (to.get(own) ?? 0) + count))
}
