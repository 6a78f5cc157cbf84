import { afterAll, describe, expect, test } from 'vitest'
import {
  createBrowserlessHome,
  type BrowserlessHome,
} from '#test/support/browser/browserless-home.ts'
import { freePort } from '#test/support/free-port.ts'
import {
  describeListening,
  type ListeningService,
} from '#test/support/processes/listening-service.ts'
import { runProgram } from '#test/support/processes/run-program.ts'

const inspector = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'

describeListening('the MCP Inspector’s command line, unmodified', (listen) => {
  const desktops: BrowserlessHome[] = []
  afterAll(async () => {
    for (const desktop of desktops) await desktop.remove()
  })

  async function desktop(): Promise<BrowserlessHome> {
    const made = await createBrowserlessHome()
    desktops.push(made)
    return made
  }

  async function inspect(
    service: ListeningService,
    { environment, home, read }: BrowserlessHome,
    ...args: string[]
  ) {
    const target = ['--cli', service.mcpUrl, '--transport', 'http', '--format', 'json']
    return await runProgram(inspector, [...target, ...args], {
      cwd: home,
      onOutput: read,
      // Without a terminal it signs in only if it may open a browser. That browser is the program
      // `true`.
      environment: {
        ...environment,
        MCP_INSPECTOR_SECRET_STORE: 'memory',
        MCP_AUTO_OPEN_ENABLED: 'true',
      },
    })
  }

  async function withKey(service: ListeningService): Promise<string[]> {
    return ['--header', `Authorization: Bearer ${await service.makeKey(service.owner)}`]
  }

  describe.each(['legacy', 'modern'])('in the %s era', (era) => {
    test('accepts every tool’s schema', async () => {
      const service = await listen()
      const list = ['--method', 'tools/list', '--strict', '--protocol-era', era]
      const { code, output, errors } = await inspect(
        service,
        await desktop(),
        ...(await withKey(service)),
        ...list,
      )
      expect(code, errors).toBe(0)
      expect(output).toContain('create_app')
    })

    test('calls a tool with a developer key', async () => {
      const service = await listen()
      const call = ['--method', 'tools/call', '--tool-name', 'create_app', '--tool-arg', 'name=zed']
      const inEra = ['--protocol-era', era]
      const { code, output, errors } = await inspect(
        service,
        await desktop(),
        ...(await withKey(service)),
        ...call,
        ...inEra,
      )
      expect(code, errors).toBe(0)
      expect(output).toContain('zed-')
    })
  })

  test.each([
    ['the public client svc_mcp_cli', ['--client-id', 'svc_mcp_cli']],
    ['a client that it registers', []],
  ])('goes through OAuth as %s, and calls a tool', async (_, args) => {
    const service = await listen()
    const there = await desktop()
    const callback = `http://127.0.0.1:${await freePort()}/callback`
    const call = ['--method', 'tools/call', '--tool-name', 'whoami', '--callback-url', callback]
    const finished = inspect(service, there, ...call, ...args)
    const back = await service.approve(await there.link)
    expect(await (await there.openCallback(back)).text()).not.toBe('')
    const { code, output, errors } = await finished
    expect(code, errors).toBe(0)
    expect(output).toContain(service.owner.email)
  })
})
