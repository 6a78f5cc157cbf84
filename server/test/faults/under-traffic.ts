import pino from 'pino'
import { openDatabase } from '#platform/db/open-database.ts'
import type { DatabaseSettings } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import {
  startParley,
  type Environment,
  type ParleyProcess,
} from '#test/support/processes/parley-process.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

export interface Scene {
  readonly service: ParleyProcess
  readonly traffic: Traffic
  /** What `/readyz` answers: its status and its reason. */
  readiness(): Promise<{ readonly status: number; readonly reason?: string }>
}

/**
 * Runs `code` while 16 callers chat with a service on a migrated database. Then it stops the service
 * and checks that every acknowledged turn is stored.
 *
 * @returns the traffic, for its failures
 */
export async function underTraffic(
  settings: DatabaseSettings,
  code: (scene: Scene) => Promise<void>,
  environment: Environment = {},
): Promise<Traffic> {
  const model = await startModelServer({ record: false })
  try {
    const served = serviceEnvironment(settings, model)
    const caller = await makeCaller(served)
    const service = await startParley({ ...served, ...environment })
    const traffic = new Traffic(service.origin, caller, 16)
    await traffic.untilMore(50)
    await code({ service, traffic, readiness: () => readiness(service.origin) })
    await traffic.stop()
    service.signal('SIGTERM')
    await service.finished
    await expectStored(settings, traffic)
    return traffic
  } finally {
    await model.stop()
  }
}

export async function readiness(origin: string) {
  const response = await fetch(`${origin}/readyz`)
  const { reason } = (await response.json()) as { reason?: string } // The format of /readyz.
  return { status: response.status, ...(reason !== undefined && { reason }) }
}

export async function expectStored(settings: DatabaseSettings, traffic: Traffic): Promise<void> {
  const db = openDatabase(settings, pino({ level: 'silent' }))
  try {
    await expectAllStored(db, traffic.acknowledged)
  } finally {
    await db.close()
  }
}
