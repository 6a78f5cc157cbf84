import type { EventContent } from './event-macs.ts'
import { recordMissing } from './missing-events.ts'
import { sealEvents, type SealContext } from './seal-events.ts'
import { signedDatabase } from './signed-database.ts'

/** Events of one burst are sealed together. */
const pauseMs = 250
/** How long a stopping process may seal. */
const closingMs = 1000

interface Sealer {
  /** Seals events that this process has recorded soon, and checks that they are still there. */
  schedule(recorded: readonly EventContent[]): void
  /** Seals what is left. */
  close(): Promise<void>
}

/** Seals the events of this process shortly after their units, so that these never wait for a chain. */
export function createSealer(ctx: SealContext): Sealer {
  const stopping = new AbortController()
  let witnessed: EventContent[] = []
  let isClosed = false
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const db = signedDatabase(ctx.db, ctx.vault, schedule)
  async function seal(signal: AbortSignal): Promise<void> {
    timer = null
    const recorded = witnessed
    witnessed = []
    try {
      await sealEvents(ctx, signal)
      await recordMissing({ ...ctx, db }, recorded)
    } catch (error) {
      witnessed = [...recorded, ...witnessed]
      // The job retries within a minute.
      ctx.log.warn({ err: error }, 'new events of the audit log are not sealed yet')
    }
  }
  function start(signal: AbortSignal): void {
    running = running.then(() => seal(signal))
  }
  function schedule(recorded: readonly EventContent[]): void {
    witnessed.push(...recorded)
    if (!isClosed) timer ??= setTimeout(() => start(stopping.signal), pauseMs).unref()
  }
  return {
    schedule,
    async close() {
      isClosed = true
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
