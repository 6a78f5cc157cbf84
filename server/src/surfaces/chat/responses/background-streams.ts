import { responseFaults } from '#features/responses/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'

/** A stream that counts as open until `end`, which may be called more than once. */
export interface StreamSlot {
  end(): void
}

/** How many streams of background responses each agent has open in this process. */
const open = new Map<string, number>()

/**
 * Counts a stream of a background response: while it is open, it reads the database several times a second,
 * and its caller pays for no further turn.
 *
 * @throws Fault background_streams_full
 */
export function holdStream({ config }: Pick<Context, 'config'>, agentId: string): StreamSlot {
  const limit = config.maxBackgroundStreams
  const count = open.get(agentId) ?? 0
  if (count >= limit) throw new Fault(responseFaults.background_streams_full, { limit })
  open.set(agentId, count + 1)
  let isOpen = true
  return {
    end() {
      if (!isOpen) return
      isOpen = false
      const left = (open.get(agentId) ?? 1) - 1
      if (left > 0) open.set(agentId, left)
      else open.delete(agentId)
    },
  }
}
