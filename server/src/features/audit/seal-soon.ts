import { sealEvents, type SealContext } from './seal-events.ts'

/** Events of one burst are sealed together. */
const pauseMs = 250
/** How long a stopping process may seal. */
const closingMs = 1000

interface Sealer {
  /** Seals new events soon. */
  schedule(): void
  /** Seals what is left. */
  close(): Promise<void>
}

/** Seals the events of this process shortly after their units, so that these never wait for a chain. */
export function createSealer(ctx: SealContext): Sealer {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  async function seal(signal: AbortSignal): Promise<void> {
    timer = null
    try {
      await sealEvents(ctx, signal)
    } catch (error) {
      // The job retries within a minute.
      ctx.log.warn({ err: error }, 'new events of the audit log are not sealed yet')
    }
  }
  function start(signal: AbortSignal): void {
    running = running.then(() => seal(signal))
  }
  return {
    schedule() {
      timer ??= setTimeout(() => start(stopping.signal), pauseMs).unref()
    },
    async close() {
      if (timer !== null) {
        clearTimeout(timer)
        start(stopping.signal)
      }
      // What is left then, the job of the next process seals.
      setTimeout(() => stopping.abort(), closingMs).unref()
      await running
    },
  }
}
