import { expect, test } from 'vitest'
import { runProgram } from '#test/support/run-program.ts'

test('the page of clients is not written without the official document that it refers to', async () => {
  const absent = '/no-such-file'
  // Results would be read, and the page written, only after the check.
  const { code, errors } = await runProgram('../tools/write-clients.ts', [absent], {
    environment: { OPEN_RESPONSES_DOCUMENT: absent },
  })
  expect(code).toBe(1)
  expect(errors).toContain('docs/clients.md is not written')
})
