import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCaller } from '#test/faults/chat-traffic.ts'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import { oneTurn } from '#test/support/processes/scrape.ts'

cleansUp()

let model: ModelServer
beforeEach(async () => {
  model = await startModelServer()
})
afterEach(() => model.stop())

const planted = {
  METRICS_TOKEN: 'planted metrics token',
  OPENAI_API_KEY: 'planted-openai-key',
  OWNER_PASSWORD: 'planted violet tundra kettle 93',
  SECRET_KEY: 'ab12'.repeat(16),
  SMTP_URL: 'smtp://mailer:planted-mail-password@127.0.0.1:1',
  STRIPE_SECRET_KEY: 'sk_test_plantedplanted',
}

test('a support bundle has versions, settings, findings, metrics and the log, and no secret', async () => {
  const folder = await emptyFolder()
  const environment = {
    ...serviceEnvironment({ dataDir: folder, databaseUrl: undefined }, model),
    ...planted,
    LOG_LEVEL: 'info',
    OWNER_EMAIL: 'planted-owner@example.com',
  }
  const complete = { ...environment, MAIL_FROM: 'planted-from@example.com' }
  const service = await startParley(complete)
  const caller = await makeCaller(complete)
  await oneTurn(service, caller)
  const log = join(folder, 'service.log')
  const lines = [
    `{"msg":"refused","authorization":"Bearer ${caller.key}"}`,
    `{"msg":"mailed planted-owner@example.com with ${planted.SMTP_URL}"}`,
    `{"msg":"keys ${planted.OPENAI_API_KEY} ${planted.SECRET_KEY} ${planted.OWNER_PASSWORD}"}`,
  ]
  await writeFile(log, `${service.log()}${lines.join('\n')}\n`)
  const file = join(folder, 'bundle.txt')
  const port = new URL(service.origin).port
  const { code, stderr } = await parley(['support-bundle', file, '--log', log], {
    ...complete,
    PORT: port,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const text = await readFile(file, 'utf8')
  for (const title of ['Versions', 'Settings', 'Findings', 'Metrics', 'Log'])
    expect(text).toContain(`## ${title}\n`)
  expect(text).toContain('METRICS_TOKEN=[secret]')
  expect(text).toContain('LOG_LEVEL=info')
  expect(text).toContain('parley_turns_total{provider="openai",outcome="ok"} 1')
  // How late timers are depends on what else the machine does.
  expect(text).toMatch(/^(?:ok|failed) +event loop/m)
  expect(text).toContain('"msg":"chat turn"')
  for (const secret of [...Object.values(planted), caller.key, 'planted'])
    expect(text).not.toContain(secret)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const again = await parley(['support-bundle', file], complete)
  expect(again.stderr).toContain('already exists')
})
