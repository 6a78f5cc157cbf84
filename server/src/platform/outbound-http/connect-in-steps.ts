import type { buildConnector } from 'undici'

type Connector = buildConnector.connector

/** Connections that begin in one step; many servers queue 511 that they have not accepted, some 128. */
const perStep = 120
const stepMs = 10

/**
 * Begins many connections in steps. A server drops those that do not fit into its queue, and its
 * kernel retries them only after a second or three, so a thousand at once would cost their callers more
 * than the steps do.
 */
export function connectInSteps(connect: Connector): Connector {
  const waiting: (() => void)[] = []
  let begun = 0
  let step: NodeJS.Timeout | null = null

  function next(): void {
    const due = waiting.splice(0, perStep)
    begun = due.length
    step = due.length > 0 ? setTimeout(next, stepMs) : null
    for (const begin of due) begin()
  }

  return (options, callback) => {
    step ??= setTimeout(next, stepMs)
    if (begun === perStep) return void waiting.push(() => connect(options, callback))
    begun += 1
    return connect(options, callback)
  }
}
