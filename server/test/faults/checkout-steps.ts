import { setTimeout as sleep } from 'node:timers/promises'
import type { ParleyProcess } from '#test/support/parley-process.ts'
import type { StripeMoment, StripeServer } from '#test/support/stripe-server.ts'
import { until } from '#test/support/until.ts'
import type { ReceiverMoment, WebhookReceiver } from '#test/support/webhook-receiver.ts'

/** A running service with one session that is ready, and what stands around it. */
export interface Scene {
  readonly service: ParleyProcess
  readonly stripe: StripeServer
  readonly receiver: WebhookReceiver
  /** Sends the complete; resolves with its answer's text, or null when the process was gone. */
  complete(): Promise<string | null>
  lockWrites(): Promise<() => Promise<void>>
  isCommitted(): Promise<boolean>
}

/** What is found when the process is dead. */
export interface Found {
  readonly status: 'ready_for_payment' | 'complete_in_progress' | 'completed'
  readonly charges: 0 | 1
  readonly orders: 0 | 1
}

export interface Step {
  readonly name: string
  readonly found: Found
  /** Runs the complete up to that step and kills the process there. @returns what the client got */
  stop(scene: Scene): Promise<string | null>
}

const ready = { status: 'ready_for_payment', charges: 0, orders: 0 } as const
const intended = { status: 'complete_in_progress', charges: 0, orders: 0 } as const
const charged = { status: 'complete_in_progress', charges: 1, orders: 0 } as const
const done = { status: 'completed', charges: 1, orders: 1 } as const

/** Long enough for a commit that nothing holds up, on a busy machine. */
const commitMs = 400

/** The steps of a complete, in their order. */
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
    name: 'when the intent is committed and the provider not asked',
    found: intended,
    stop: (scene) => killAtProvider(scene, 'connected'),
  },
  {
    name: 'when the provider is asked',
    found: intended,
    stop: (scene) => killAtProvider(scene, 'asked'),
  },
  {
    name: 'when the provider has charged and not answered',
    found: charged,
    stop: (scene) => killAtProvider(scene, 'charged'),
  },
  {
    name: 'when the provider has answered and nothing is committed',
    found: charged,
    async stop(scene) {
      const unlocking = Promise.withResolvers<() => Promise<void>>()
      scene.stripe.watch = async (moment) => {
        if (moment === 'charged') unlocking.resolve(await scene.lockWrites())
        if (moment === 'answered') {
          await sleep(commitMs)
          await kill(scene)
        }
        return 'go on'
      }
      const answer = await scene.complete()
      await (
        await unlocking.promise
      )()
      return answer
    },
  },
  {
    name: 'when the outcome is committed and the client not answered',
    found: done,
    async stop(scene) {
      // The client hears nothing, whether the process got as far as saying it or not.
      void scene.complete()
      await until('the order is made', scene.isCommitted, { everyMs: 1 })
      await kill(scene)
      return null
    },
  },
  {
    name: 'when the client is answered',
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
    name: 'when the webhook is received and not answered',
    found: done,
    stop: (scene) => killAtReceiver(scene, 'received'),
  },
  {
    name: 'when the webhook is answered and that is not noted',
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
        return 'go on'
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
    if (moment !== at) return 'go on'
    await kill(scene)
    return 'hang up'
  }
  return await scene.complete()
}

async function killAtReceiver(scene: Scene, at: ReceiverMoment): Promise<string | null> {
  const dead = Promise.withResolvers<void>()
  scene.receiver.watch = async (moment) => {
    if (moment !== at) return 'go on'
    await kill(scene)
    dead.resolve()
    return 'hang up'
  }
  const answer = await scene.complete()
  await dead.promise
  return answer
}

async function kill({ service }: Scene): Promise<void> {
  service.signal('SIGKILL')
  await service.finished
}
