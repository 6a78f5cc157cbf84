import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  litestreamAbsence,
  restoreFromReplica,
  startLitestream,
} from '#test/support/databases/litestream.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, emptyFolder, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic, type Acknowledged } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectStored } from './under-traffic.ts'

const absence = litestreamAbsence()
const because = absence === null ? '' : ` (skipped: ${absence})`
const callers = 8
/** So that the write-ahead log is long enough for a checkpoint after some hundred turns. */
const reply = 'word '.repeat(4_000)
/** Litestream sends once a second; the rest is for a busy machine. */
const windowMs = 20_000

cleansUp()

describe.skipIf(absence !== null)(`Litestream beside a service on SQLite${because}`, () => {
  let scene: Awaited<ReturnType<typeof openScene>>
  beforeEach(async () => {
    scene = await openScene()
    return () => scene.model.stop()
  })

  test('a lost disk takes the turns of the last moment; the rest is restored, undamaged', async () => {
    const { database, replica, environment, caller, model } = scene
    const service = await startParley(environment)
    const litestream = await startLitestream({ database, replica })
    const traffic = new Traffic(service.origin, caller, callers)
    await untilLogBeganAgain(database, 4)
    await traffic.untilMore(50)
    service.signal('SIGKILL')
    const killedAt = performance.now()
    await litestream.end('SIGKILL')
    await Promise.all([service.finished, traffic.stop()])
    await rm(scene.dataDir, { recursive: true })
    expect(litestream.log().match(/new generation/g), 'snapshots').toHaveLength(1)
    expect(service.log()).not.toContain('checkpoint')

    const restoring = performance.now()
    const restored = await scene.restore()
    const again = await startParley(serviceEnvironment(restored, model))
    const healthyAfterMs = performance.now() - restoring
    again.signal('SIGTERM')
    await again.finished
    const lost = missingIn(restored.dataDir, traffic.acknowledged)
    const oldest = Math.min(...lost.map(({ at }) => at), killedAt)
    expect(killedAt - oldest, 'ms that are lost').toBeLessThan(windowMs)
    const { tries, failed } = traffic
    const fault = 'A disk lost under traffic, and its replica of Litestream restored'
    recordFault({ fault, engine: 'sqlite', tries, lost: lost.length, failed, healthyAfterMs })
  })

  test('after a pause it begins a new snapshot, and a service that stops first loses nothing', async () => {
    const { database, replica, environment, caller } = scene
    const service = await startParley(environment)
    const first = await startLitestream({ database, replica })
    const traffic = new Traffic(service.origin, caller, callers)
    await traffic.untilMore(50)
    await first.end('SIGKILL')
    // Nothing holds the log now, so the service copies it and begins it again.
    await untilLogBeganAgain(database, 2)
    const second = await startLitestream({ database, replica })
    expect(second.log()).toContain('new generation')
    await traffic.untilMore(50)
    await traffic.stop()
    service.signal('SIGTERM')
    expect((await service.finished).code).toBe(0)
    await second.end('SIGTERM')
    await expectStored(await scene.restore(), traffic)
  })
})

async function openScene() {
  const dataDir = await emptyFolder()
  const model = await startModelServer({ record: false, script: () => ({ reply }) })
  const settings = { dataDir, databaseUrl: undefined, databasePoolSize: 10 }
  const environment = { ...serviceEnvironment(settings, model), LOG_LEVEL: 'warn' }
  const replica = join(await emptyFolder(), 'replica')
  return {
    dataDir,
    database: join(dataDir, 'parley.sqlite'),
    replica,
    model,
    environment,
    caller: await makeCaller(environment),
    /** Restores the replica into a new folder. */
    async restore() {
      const restored = { ...settings, dataDir: await emptyFolder() }
      const file = join(restored.dataDir, 'parley.sqlite')
      await restoreFromReplica(replica, file)
      using raw = new DatabaseSync(file, { readOnly: true })
      expect(raw.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      return restored
    },
  }
}

/** A log that begins again has other salts in its header. */
async function untilLogBeganAgain(database: string, times: number): Promise<void> {
  const seen = new Set<string>()
  await until(`the log began ${times} times`, async () => {
    await using file = await open(`${database}-wal`)
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 16)
    seen.add(buffer.toString('hex'))
    return seen.size > times
  })
}

function missingIn(dataDir: string, acknowledged: readonly Acknowledged[]): Acknowledged[] {
  using raw = new DatabaseSync(join(dataDir, 'parley.sqlite'), { readOnly: true })
  const rows = raw
    .prepare(
      `select question.content from chat_messages as question
       join chat_messages as answer
         on answer.session_id = question.session_id and answer.seq = question.seq + 1
       where question.role = 'user' and answer.role = 'assistant' and answer.content = ?`,
    )
    .all(reply)
  const stored = new Set(rows.map(({ content }) => content))
  return acknowledged.filter(({ said }) => !stored.has(said))
}
