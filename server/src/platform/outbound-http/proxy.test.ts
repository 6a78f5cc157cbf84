import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'

const program = fileURLToPath(
  import.meta.resolve('#test/support/processes/outbound-proxy-process.ts'),
)

let proxy: ModelServer
let server: ModelServer

beforeAll(async () => {
  proxy = await startServer((response) => void response.end('proxied'))
  server = await startServer((response) => void response.end('direct'))
})
afterAll(() => Promise.all([proxy.stop(), server.stop()]))

// What a process takes from its environment it takes when it starts: so one is started.
test('no request uses the environment’s proxy, which the platform’s clients would use', async () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  const env = Object.fromEntries(
    names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, proxy.origin]),
  )
  const args = [program, server.origin]
  const options = { env: { ...env, NODE_USE_ENV_PROXY: '1', NO_PROXY: '' }, timeout: 20_000 }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  expect(JSON.parse(stdout)).toEqual({
    platformFetch: 'proxied',
    platformHttp: 'proxied',
    request: 'direct',
    fetch: 'direct',
  })
}, 30_000)
