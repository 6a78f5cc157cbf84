import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { makeCaller } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

describeEngines(
  'a service whose write-ahead log was deleted',
  (engine) => {
    cleansUp()

    test('answers no turn, and ends', async () => {
      const model = await startModelServer({ record: false })
      const environment = { ...serviceEnvironment(engine.settings(), model), LOG_LEVEL: 'error' }
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      const log = join(engine.settings().dataDir, 'parley.sqlite-wal')
      await rename(log, `${log}-moved`)
      const answer = await fetch(`${service.origin}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: caller.model,
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      }).then(
        ({ status }) => status,
        () => 'cut',
      )
      expect(answer).not.toBe(200)
      const { code, stderr, stdout } = await service.finished
      expect(code).toBe(1)
      expect(stdout + stderr).toContain('the write-ahead log was deleted or replaced')
      await rename(`${log}-moved`, log)
      const restartedAt = performance.now()
      await startParley(environment)
      const healthyAfterMs = performance.now() - restartedAt
      const fault = 'The write-ahead log deleted: the service ends, the log is put back'
      recordFault({ fault, engine: 'sqlite', tries: 1, lost: 0, failed: 1, healthyAfterMs })
      await model.stop()
    })
  },
  'sqlite',
)
