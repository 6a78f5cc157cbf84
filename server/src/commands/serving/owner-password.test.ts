import { expect, test } from 'vitest'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'

cleansUp()

test('an OWNER_PASSWORD that is easy to guess stops the start in one line, while there is no owner', async () => {
  const weak = {
    DATA_DIR: await emptyFolder(),
    PORT: '0',
    DEMO: 'false',
    LOG_LEVEL: 'error',
    OWNER_PASSWORD: '12345678910',
  }
  const refused = await parley(['start'], weak)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'parley: OWNER_PASSWORD: This password is easy to guess. Choose another: several unrelated words, or one that a password manager creates.\n',
  ])
  const good = await startParley({ ...weak, OWNER_PASSWORD: 'correct horse' })
  good.signal('SIGTERM')
  await good.finished
  // The owner exists, so an instance from before this rule still starts.
  expect((await startParley(weak)).banner).toContain('is ready')
}, 120_000)
