import type { Estimates } from './vector-block.ts'

const buckets = 4096

interface Limits {
  /** How many of the nearest vectors are wanted. */
  readonly wanted: number
  /** The most candidates. */
  readonly most: number
}

/**
 * The vectors that may be among the nearest: those whose estimated cosine is at most two standard
 * errors below that of the last wanted one. Cosines are counted in buckets, because sorting 100,000 of
 * them takes longer than estimating them.
 */
export class BestEstimates {
  private readonly limits: Limits
  private readonly lists: Estimates[] = []
  private readonly counts = new Uint32Array(buckets)
  private errors = 0
  private total = 0

  constructor(limits: Limits) {
    this.limits = limits
  }

  add(list: Estimates): void {
    const { counts } = this
    const { cosines } = list
    for (let at = 0; at < cosines.length; at += 1) {
      const bucket = bucketOf(cosines[at] ?? 0)
      counts[bucket] = (counts[bucket] ?? 0) + 1
    }
    this.lists.push(list)
    this.errors += list.error * list.ids.length
    this.total += list.ids.length
  }

  /** Ids, in no order. Of estimates that are about the same, those added first. */
  end(): number[] {
    const error = this.errors / Math.max(1, this.total)
    const { bucket: lastWanted } = this.last(this.limits.wanted)
    const lowest = lastWanted - Math.ceil((2 * error) / bucketSize)
    const { bucket: lastOfMost, above } = this.last(this.limits.most)
    const last = Math.max(lowest, lastOfMost)
    let left = lowest > lastOfMost ? Infinity : this.limits.most - above
    const best: number[] = []
    for (const { ids, cosines } of this.lists)
      for (let at = 0; at < cosines.length; at += 1) {
        const bucket = bucketOf(cosines[at] ?? 0)
        if (bucket > last || (bucket === last && left-- > 0)) best.push(ids[at] ?? 0)
      }
    return best
  }

  /** The bucket with the estimate of this rank, and how many are in those above it. */
  private last(rank: number): { readonly bucket: number; readonly above: number } {
    let [bucket, above] = [buckets - 1, 0]
    while (bucket > 0 && above + (this.counts[bucket] ?? 0) < rank) {
      above += this.counts[bucket] ?? 0
      bucket -= 1
    }
    return { bucket, above }
  }
}

/** Estimates may be a little outside of -1 to 1. */
const lowestCosine = -1.1
const bucketSize = 2.2 / buckets

function bucketOf(cosine: number): number {
  return Math.max(0, Math.min(buckets - 1, Math.floor((cosine - lowestCosine) / bucketSize)))
}
