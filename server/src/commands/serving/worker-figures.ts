import cluster, { type Worker } from 'node:cluster'
import type { Config } from '#config'
import type { Figures } from '#platform/metrics/figures.ts'

/** True if the configuration asks for `/metrics`; otherwise nothing of it is loaded. */
export function isMeasured(config: Pick<Config, 'metricsPort' | 'metricsToken'>): boolean {
  return config.metricsPort !== undefined || config.metricsToken !== undefined
}

/** Figures of the workers, which any of them or the supervisor can ask for: `/metrics` shows the sum. */
type All = readonly (readonly Figures[])[]

/** From the supervisor: report your figures; or all figures, for a worker that wanted them. */
interface ToWorker {
  readonly reportFigures?: number
  readonly allFigures?: All
}

/** From a worker: its figures; or a wish for all. */
interface FromWorker {
  readonly figuresFor?: number
  readonly figures?: readonly Figures[]
  readonly wantsAll?: true
}

/** A worker that does not answer in this time, such as one that starts, is left out. */
const waitMs = 2_000

/** In the supervisor: collects the figures of all workers, and passes them to workers that ask. */
export function collectFigures(): () => Promise<All> {
  const collections = new Map<number, (figures: readonly Figures[]) => void>()
  let latest = 0
  const collect = async (): Promise<All> => {
    const asked = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
    const all: (readonly Figures[])[] = []
    const complete = Promise.withResolvers<void>()
    const id = (latest += 1)
    const timer = setTimeout(complete.resolve, waitMs)
    collections.set(id, (figures) => {
      if (all.push(figures) === asked.length) complete.resolve()
    })
    for (const worker of asked) send(worker, { reportFigures: id })
    if (asked.length > 0) await complete.promise
    clearTimeout(timer)
    collections.delete(id)
    return all
  }
  cluster.on('message', (worker, message: FromWorker) => {
    if (message.figuresFor !== undefined)
      collections.get(message.figuresFor)?.(message.figures ?? [])
    if (message.wantsAll) void collect().then((allFigures) => send(worker, { allFigures }))
  })
  return collect
}

/** In a worker: reports its figures when asked. @returns a function that asks for all workers' */
export function reportFigures(own: () => Promise<readonly Figures[]>): () => Promise<All> {
  let waiting: ((all: All) => void)[] = []
  process.on('message', (message: ToWorker) => {
    const { reportFigures: id, allFigures } = message
    if (id !== undefined)
      void own().then((figures) => process.send?.({ figuresFor: id, figures } satisfies FromWorker))
    if (allFigures !== undefined) for (const resolve of waiting.splice(0)) resolve(allFigures)
  })
  return async () => {
    const { promise, resolve } = Promise.withResolvers<All>()
    waiting = [...waiting, resolve]
    process.send?.({ wantsAll: true } satisfies FromWorker)
    return await promise
  }
}

function send(worker: Worker | undefined, message: ToWorker): void {
  // A worker that ends at this moment cannot be reached, and need not be.
  worker?.send(message, () => {})
}
