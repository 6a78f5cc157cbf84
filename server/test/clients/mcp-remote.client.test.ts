import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'
import {
  createBrowserlessHome,
  type BrowserlessHome,
} from '#test/support/browser/browserless-home.ts'
import { freePort } from '#test/support/free-port.ts'
import { describeListening } from '#test/support/processes/listening-service.ts'

const program = join(import.meta.dirname, '../../../node_modules/mcp-remote/dist/proxy.js')

describeListening('mcp-remote, unmodified', (listen) => {
  const desktops: BrowserlessHome[] = []
  afterAll(async () => {
    for (const desktop of desktops) await desktop.remove()
  })

  async function start(args: readonly string[]) {
    const desktop = await createBrowserlessHome()
    desktops.push(desktop)
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, ...args],
      env: { ...desktop.environment },
      stderr: 'pipe',
    })
    transport.stderr?.on('data', desktop.read)
    return { desktop, transport, client: new Client({ name: 'desk', version: '1' }) }
  }

  test('registers, sends the person through sign-in and consent, and calls a tool', async () => {
    const service = await listen()
    const { desktop, transport, client } = await start([
      service.mcpUrl,
      String(await freePort()),
      '--allow-http',
    ])
    const connected = client.connect(transport)
    const back = await service.approve(await desktop.link)
    expect((await desktop.openCallback(back)).status).toBe(200)
    await connected
    const who = await client.callTool({ name: 'whoami', arguments: {} })
    expect(who.structuredContent).toMatchObject({ user: { email: service.owner.email } })
    await client.close()
  })

  test('calls a tool with a developer key in a header', async () => {
    const service = await listen()
    const header = `Authorization: Bearer ${await service.makeKey(service.owner)}`
    const { transport, client } = await start([service.mcpUrl, '--allow-http', '--header', header])
    await client.connect(transport)
    const made = await client.callTool({ name: 'create_app', arguments: { name: 'Remote' } })
    expect(made.structuredContent).toMatchObject({ name: 'Remote' })
    await client.close()
  })
})
