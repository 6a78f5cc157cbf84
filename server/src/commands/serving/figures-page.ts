/** A page of metrics as read by a command: samples by name, each with its labels. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export function readSamples(page: string): readonly Sample[] {
  return page.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
    const given = Object.fromEntries(pairs.map(([, label = '', of = '']) => [label, of]))
    return [{ name, labels: given, value: Number(value) }]
  })
}

type Labels = Readonly<Record<string, string>>

/** What happened between two pages of one service, and what the later one shows. */
export class Interval {
  readonly seconds: number
  readonly #earlier: ReadonlyMap<string, number>
  readonly #later: readonly Sample[]

  constructor(earlier: string, later: string, seconds: number) {
    this.seconds = seconds
    this.#earlier = new Map(readSamples(earlier).map((sample) => [keyOf(sample), sample.value]))
    this.#later = readSamples(later)
  }

  /** The values of a label that a metric has. */
  valuesOf(name: string, label: string): readonly string[] {
    const found = this.#named(name, {}).flatMap(({ labels }) => labels[label] ?? [])
    return [...new Set(found)]
  }

  /** The sum of a gauge's samples. */
  now(name: string, labels: Labels = {}): number {
    return this.#named(name, labels).reduce((sum, { value }) => sum + value, 0)
  }

  most(name: string, labels: Labels = {}): number {
    return Math.max(0, ...this.#named(name, labels).map(({ value }) => value))
  }

  /** By how much a counter grew. */
  grew(name: string, labels: Labels = {}): number {
    return this.#named(name, labels).reduce((sum, sample) => sum + this.#growthOf(sample), 0)
  }

  /** The bound in seconds below which 95 % of the interval's times are; null without any. */
  p95(name: string, labels: Labels = {}): number | null {
    const buckets = new Map<number, number>()
    for (const sample of this.#named(`${name}_bucket`, labels)) {
      const le = sample.labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(sample.labels.le)
      buckets.set(le, (buckets.get(le) ?? 0) + this.#growthOf(sample))
    }
    const sorted = [...buckets].sort(([one], [other]) => one - other)
    const all = sorted.at(-1)?.[1] ?? 0
    return all === 0 ? null : (sorted.find(([, count]) => count >= all * 0.95)?.[0] ?? null)
  }

  #named(name: string, labels: Labels): readonly Sample[] {
    const wanted = Object.entries(labels)
    return this.#later.filter(
      (sample) =>
        sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    )
  }

  #growthOf(sample: Sample): number {
    return sample.value - (this.#earlier.get(keyOf(sample)) ?? 0)
  }
}

function keyOf({ name, labels }: Sample): string {
  return `${name}${JSON.stringify(labels)}`
}
