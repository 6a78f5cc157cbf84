import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '#config'
import { listen, type HttpService } from '#commands/serving/http-service.ts'
import { createUser } from '#features/identity/index.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { runProgram } from '#test/support/processes/run-program.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'

const suite = '@modelcontextprotocol/conformance/dist/index.js'
const person = { email: 'ada@example.com', password: 'the password of ada', name: 'Ada' }

describeInstance('the conformance suite for authorization servers', (open) => {
  const services: HttpService[] = []
  const folders: string[] = []
  afterAll(async () => {
    for (const service of services) await service.stop(0)
    for (const folder of folders) await rm(folder, { recursive: true })
  })

  test('passes with a person who signs in and authorizes', async () => {
    const origin = await serve()
    const folder = await mkdtemp(join(tmpdir(), 'parley-conformance-'))
    folders.push(folder)
    const { code, output } = await runSuite(folder, {
      '--url': origin,
      '--client-id': 'svc_mcp_cli',
      '--resource': `${origin}/mcp`,
      '--port': String(await freePort()),
      '--output-dir': folder,
    })
    expect(code, output).toBe(0)
    expect(output).toMatch(/[1-9]\d* passed, 0 failed/)
  })

  async function serve(): Promise<string> {
    const service = await listen({ ...readConfig({}), port: 0 })
    services.push(service)
    const origin = `http://localhost:${service.port}`
    const instance = await open({ BASE_URL: origin })
    service.serve(appOf(instance), instance.ctx.log)
    await createUser(instance.ctx, person)
    return origin
  }

  /** Runs the suite and opens the address that it prints, like a person. */
  async function runSuite(cwd: string, options: Readonly<Record<string, string>>) {
    let printed = ''
    let visited = false
    const onOutput = (piece: string) => {
      printed += piece
      const address = /(http:\/\/localhost:\d+\/mcp\/oauth\/authorize\?\S+)\s/.exec(printed)?.[1]
      if (address === undefined || visited) return
      visited = true
      void authorizeAt(address)
    }
    return await runProgram(suite, ['authorization', ...Object.entries(options).flat()], {
      cwd,
      onOutput,
    })
  }

  async function authorizeAt(address: string): Promise<void> {
    const send = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'manual' })
    const browser = new FormBrowser(send, { origin: new URL(address).origin })
    await browser.open(address)
    await browser.submit('/login', { email: person.email, password: person.password })
    const back = await browser.submit('/mcp/oauth/consent', { decision: 'authorize' })
    if (back !== null) await fetch(back)
  }

  async function freePort(): Promise<number> {
    const probe = createServer()
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
    const { port } = probe.address() as AddressInfo // A TCP socket.
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
})
