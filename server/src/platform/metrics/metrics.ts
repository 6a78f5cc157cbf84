import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { Context } from '#platform/context.ts'
import { Backlog } from './backlog.ts'
import { countedFigures, type Figures } from './figures.ts'

/** How long an answer waits for the database. */
const backlogWaitMs = 1_000

export const contentType = Registry.OPENMETRICS_CONTENT_TYPE

/** Measures the process itself and reads all of its figures. Creating one starts the measurement. */
export function createMetrics(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
): () => Promise<readonly Figures[]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  const backlog = new Backlog(ctx)
  return async () => {
    const [own, jobs] = await Promise.all([
      registry.getMetricsAsJSON(),
      backlog.figures(backlogWaitMs),
    ])
    // prom-client's type omits the fields that it gives every metric; `values` of a histogram differ.
    const process = (own as unknown as Figures[]).map(withoutSuffix)
    return [...countedFigures(), ...jobs, ...process]
  }
}

/** An aggregated counter in OpenMetrics gets its suffix when it is printed. */
function withoutSuffix(figures: Figures): Figures {
  if (figures.type !== 'counter') return figures
  return { ...figures, name: figures.name.replace(/_total$/, '') }
}

/** The text of `/metrics`. @param all the figures of each process */
export async function openMetrics(all: readonly (readonly Figures[])[]): Promise<string> {
  const registry = AggregatorRegistry.aggregate([...all])
  registry.setContentType(contentType)
  return await registry.metrics()
}
