import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startBearerProxy, type BearerProxy } from '#test/support/mcp-conformance/bearer-proxy.ts'
import { makeFixtureServer } from '#test/support/mcp-conformance/fixture-server.ts'
import { describeListening } from '#test/support/processes/listening-service.ts'
import type { McpServiceOptions } from '#test/support/mcp-service.ts'
import { runProgram } from '#test/support/processes/run-program.ts'

const suite = '@modelcontextprotocol/conformance/dist/index.js'

/** The scenarios that Parley's own catalogue supports without fixtures. */
const ofTheCatalogue = [
  ['2025-11-25', 'server-initialize'],
  ['2025-11-25', 'ping'],
  ['2025-11-25', 'tools-list'],
  ['2025-11-25', 'dns-rebinding-protection'],
  ['2026-07-28', 'tools-list'],
  ['2026-07-28', 'dns-rebinding-protection'],
  ['2026-07-28', 'http-header-validation'],
  ['2026-07-28', 'server-sse-multiple-streams'],
] as const

describeListening('the conformance suite', (listen) => {
  const proxies: BearerProxy[] = []
  const folders: string[] = []
  afterAll(async () => {
    for (const proxy of proxies) await proxy.stop()
    for (const folder of folders) await rm(folder, { recursive: true })
  })

  /** @returns the address for the suite, which cannot send a credential */
  async function setUp(options: McpServiceOptions): Promise<string> {
    const proxy = await startBearerProxy()
    proxies.push(proxy)
    const environment = { MCP_ALLOWED_ORIGINS: proxy.origin }
    const service = await listen({ ...options, plan: 'enterprise', environment })
    proxy.forwardTo({ origin: service.baseUrl, key: await service.makeKey(service.owner) })
    return `${proxy.origin}/mcp`
  }

  async function run(url: string, ...args: string[]) {
    const folder = await mkdtemp(join(tmpdir(), 'parley-conformance-'))
    folders.push(folder)
    return await runProgram(suite, ['server', '--url', url, '-o', folder, ...args], { cwd: folder })
  }

  test('passes all server requirements of revision 2026-07-28', async () => {
    const url = await setUp({ makeServer: makeFixtureServer })
    const { code, output } = await run(url, '--requirements', '2026-07-28')
    expect(code, output).toBe(0)
  })

  test('passes the server requirements of revision 2025-11-25, except for the baseline', async () => {
    const url = await setUp({ makeServer: makeFixtureServer })
    const baseline = join(import.meta.dirname, 'mcp-conformance-2025-11-25.yml')
    const expected = ['--expected-failures', baseline, '--timeout', '3000']
    const { code, output } = await run(url, '--requirements', '2025-11-25', ...expected)
    expect(code, output).toBe(0)
  })

  test('passes with Parley’s own tools in every scenario that needs no fixtures', async () => {
    const url = await setUp({})
    for (const [revision, scenario] of ofTheCatalogue) {
      const args = ['--scenario', scenario, '--spec-version', revision]
      const { code, output } = await run(url, ...args)
      expect(code, `${scenario} at ${revision}: ${output}`).toBe(0)
    }
  })
})
