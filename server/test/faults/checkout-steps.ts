import { setTimeout as sleep } from 'node:timers/promises'
import type { ParleyProcess } from '#test/support/processes/parley-process.ts'
import type { StripeMoment, StripeServer } from '#test/support/servers/stripe-server.ts'
import { until } from '#test/support/until.ts'
import type { ReceiverMoment, WebhookReceiver } from '#test/support/servers/webhook-receiver.ts'

/** A running service with one session that is ready for payment, and the servers around it. */
export interface Scene {
  readonly service: ParleyProcess
  readonly stripe: StripeServer
  readonly receiver: WebhookReceiver
  /** Sends the complete. Resolves with the response's text, or null if the process died first. */
  complete(): Promise<string | null>
  lockWrites(): Promise<() => Promise<void>>
  isCommitted(): Promise<boolean>
}

/** The stored state after the death of the process. */
export interface Found {
  readonly status: 'ready_for_payment' | 'complete_in_progress' | 'completed'
  readonly charges: 0 | 1
  readonly orders: 0 | 1
}

export interface Step {
  readonly name: string
  readonly found: Found
  /**
   * Runs the complete up to this step and kills the process there.
   *
   * @returns the response that the client received
   */
  stop(scene: Scene): Promise<string | null>
}

const ready = { status: 'ready_for_payment', charges: 0, orders: 0 } as const
const intended = { status: 'complete_in_progress', charges: 0, orders: 0 } as const
const charged = { status: 'complete_in_progress', charges: 1, orders: 0 } as const
const done = { status: 'completed', charges: 1, orders: 1 } as const

/** Long enough for an unblocked commit on a busy machine. */
const commitMs = 400

/** The steps of a complete, in order. */
export const steps: readonly Step[] = [
  {
    name: 'before the intent is committed',
    found: ready,
    async stop(scene) {
      const unlock = await scene.lockWrites()
      const answer = scene.complete()
      await sleep(commitMs)
      await kill(scene)
      await unlock()
      return await answer
    },
  },
  {
    name: 'when the intent is committed and the provider has not read the request',
    found: intended,
    stop: (scene) => killAtProvider(scene, 'connected'),
  },
  {
    name: 'when the provider has read the request',
    found: intended,
    stop: (scene) => killAtProvider(scene, 'asked'),
  },
  {
    name: 'when the provider has charged and not responded',
    found: charged,
    stop: (scene) => killAtProvider(scene, 'charged'),
  },
  {
    name: 'when the provider has responded and nothing is committed',
    found: charged,
    async stop(scene) {
      const unlocking = Promise.withResolvers<() => Promise<void>>()
      scene.stripe.watch = async (moment) => {
        if (moment === 'charged') unlocking.resolve(await scene.lockWrites())
        if (moment === 'answered') {
          await sleep(commitMs)
          await kill(scene)
        }
        return 'continue'
      }
      const answer = await scene.complete()
      await (
        await unlocking.promise
      )()
      return answer
    },
  },
  {
    name: 'when the outcome is committed and the client has no response',
    found: done,
    async stop(scene) {
      // The client's response is ignored, whether or not the process sent one.
      void scene.complete()
      await until('the order is created', scene.isCommitted, { everyMs: 1 })
      await kill(scene)
      return null
    },
  },
  {
    name: 'when the client has its response',
    found: done,
    async stop(scene) {
      const answer = await scene.complete()
      await kill(scene)
      return answer
    },
  },
  {
    name: 'when the webhook is queued and not sent',
    found: done,
    stop: (scene) => killAtReceiver(scene, 'connected'),
  },
  {
    name: 'when the webhook is received without a response',
    found: done,
    stop: (scene) => killAtReceiver(scene, 'received'),
  },
  {
    name: 'when the response to the webhook is not recorded',
    found: done,
    async stop(scene) {
      const dead = Promise.withResolvers<void>()
      let unlock = () => Promise.resolve()
      scene.receiver.watch = async (moment) => {
        if (moment === 'received') unlock = await scene.lockWrites()
        if (moment === 'answered') {
          await sleep(commitMs)
          await kill(scene)
          dead.resolve()
        }
        return 'continue'
      }
      const answer = await scene.complete()
      await dead.promise
      await unlock()
      return answer
    },
  },
]

async function killAtProvider(scene: Scene, at: StripeMoment): Promise<string | null> {
  scene.stripe.watch = async (moment) => {
    if (moment !== at) return 'continue'
    await kill(scene)
    return 'disconnect'
  }
  return await scene.complete()
}

async function killAtReceiver(scene: Scene, at: ReceiverMoment): Promise<string | null> {
  const dead = Promise.withResolvers<void>()
  scene.receiver.watch = async (moment) => {
    if (moment !== at) return 'continue'
    await kill(scene)
    dead.resolve()
    return 'disconnect'
  }
  const answer = await scene.complete()
  await dead.promise
  return answer
}

async function kill({ service }: Scene): Promise<void> {
  service.signal('SIGKILL')
  await service.finished
}
