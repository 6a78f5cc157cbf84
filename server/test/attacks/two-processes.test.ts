import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import { freePort } from '#test/support/free-port.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, parley, startParley } from '#test/support/processes/parley-process.ts'

cleansUp()

const baseUrl = 'https://parley.example'
const account = { email: 'owner@example.com', password: 'a long enough password' }

describe.runIf(inject('engines').includes('postgres'))('two processes on one database', () => {
  let settings: DatabaseSettings

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
  })
  afterAll(() => dropDatabase(settings))

  test(
    'share sessions, confirmations, limits, keys, the audit log and background responses',
    { timeout: 300_000 },
    async () => {
      const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
      const model = await startModelServer({
        script({ body }, n) {
          const isLong = JSON.stringify(body.messages).includes('at length')
          if (isLong) return { reply: Array.from({ length: 3_000 }, () => 'word '), chunkMs: 20 }
          return n === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' }
        },
      })
      onTestFinished(() => model.stop())
      const environment = {
        ...serviceEnvironment(settings, model),
        DEFAULT_MODEL: 'openai/mock',
        BASE_URL: baseUrl,
        CONFIRMATION_SECONDS: '4',
        MCP_RATE_LIMITS: 'builder=6',
      }
      const ports = [await freePort(), await freePort()]
      for (const port of ports) await startParley({ ...environment, PORT: String(port) })
      const origins = ports.map((port) => `http://127.0.0.1:${port}`)

      /** A browser behind a load balancer: each request goes to the other process than the one before. */
      const balanced = () => {
        let requests = 0
        return new FormBrowser(
          async (url, init) => {
            const origin = origins[(requests += 1) % 2] ?? ''
            return await fetch(url.replace(baseUrl, origin), { ...init, redirect: 'manual' })
          },
          { origin: baseUrl },
        )
      }
      const signedIn = async () => {
        const browser = balanced()
        await browser.open('/login')
        await browser.submit('/login', account)
        return browser
      }
      const postAt = async (n: number, browser: FormBrowser, path: string, body: object) => {
        const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const own = { cookie, origin: baseUrl, 'sec-fetch-site': 'same-origin' }
        const response = await fetch(`${origins[n]}/api/dashboard/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...own },
          body: JSON.stringify(body),
        })
        return { status: response.status, answer: (await response.json()) as { key?: string } } // Read below.
      }
      const createKey = (n: number, browser: FormBrowser) =>
        postAt(n, browser, 'operations/create_developer_key', { name: 'A key' })

      // A session that began in one is one in both, and so is its confirmation.
      const browser = await signedIn()
      const made = await createKey(0, browser)
      expect(made.status).toBe(200)
      await expect
        .poll(async () => (await createKey(1, browser)).status, { timeout: 20_000, interval: 500 })
        .toBe(403)
      expect((await createKey(0, browser)).status).toBe(403)
      const proof = { password: account.password }
      expect((await postAt(1, browser, 'confirmation', proof)).status).toBe(200)
      expect((await createKey(0, browser)).status).toBe(200)

      // Requests count in both.
      const ping = async (n: number) => {
        const response = await fetch(`${origins[n]}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${made.answer.key}`,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        })
        return response.status
      }
      const statuses = []
      for (let n = 0; n < 12; n += 1) statuses.push(await ping(n % 2))
      expect(statuses.filter((status) => status === 200)).toHaveLength(6)
      expect(statuses.slice(-2)).toEqual([429, 429])

      // A session that ends in one ends in both, and so does a key.
      const other = await signedIn()
      await other.open('/account')
      await other.submit('/account/sessions/end-others')
      for (const n of [0, 1]) expect((await createKey(n, browser)).status).toBe(401)

      // Both wrote to one chain.
      const events = Array.from({ length: 20 }, (_, n) =>
        postAt(n % 2, other, 'operations/create_app', { name: `Agent ${n}` }),
      )
      expect(new Set((await Promise.all(events)).map(({ status }) => status))).toEqual(
        new Set([200]),
      )
      const { code, stdout } = await parley(['audit', 'verify'], environment)
      expect(code, stdout).toBe(0)

      // A tool's call that one answered with is continued in the other.
      const operate = async (name: string, input: object) => {
        const { stdout: written } = await parley(['call', name, JSON.stringify(input)], environment)
        return JSON.parse(written) as { id: string; app_name_id: string; key: string } // The operation's output.
      }
      const app = await operate('create_app', { name: 'Caller' })
      const { key } = await operate('create_chat_key', { app_id: app.id, name: 'Caller' })
      const respond = async (n: number, fields: object) => {
        const response = await fetch(`${origins[n]}/api/v1/responses`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({
            model: app.app_name_id,
            tools: [{ type: 'function', name: 'look_up' }],
            ...fields,
          }),
        })
        return (await response.json()) as {
          id: string
          status: string
          output: { call_id: string }[]
        } // Open Responses.
      }
      const waiting = await respond(0, { input: 'What is tea?' })
      const call_id = waiting.output[0]?.call_id
      const results = [{ type: 'function_call_output', call_id, output: 'hot' }]
      const continued = await respond(1, { input: results, previous_response_id: waiting.id })
      expect(continued.output).toMatchObject([{ content: [{ text: 'A drink.' }] }])
      expect(model.requests[1]?.body.messages).toMatchObject([
        { role: 'user', content: 'What is tea?' },
        { role: 'assistant', tool_calls: [{ id: call_id }] },
        { role: 'tool', content: 'hot', tool_call_id: call_id },
      ])

      // A background response that one accepted is polled, streamed and cancelled in the other.
      const at = async (n: number, path: string, method = 'GET') => {
        const headers = { authorization: `Bearer ${key}` }
        return await fetch(`${origins[n]}/api/v1/responses/${path}`, { method, headers })
      }
      const statusAt = async (n: number, id: string) =>
        ((await (await at(n, id)).json()) as { status: string }).status // Open Responses.
      const queued = await respond(0, { input: 'Tea?', background: true })
      expect(queued.status).toBe('queued')
      await expect
        .poll(() => statusAt(1, queued.id), { timeout: 20_000, interval: 200 })
        .toBe('completed')
      const streams = [0, 1].map(async (n) =>
        (await at(n, `${queued.id}?stream=true&starting_after=2`)).text(),
      )
      const [one = '', another = ''] = await Promise.all(streams)
      expect(one).toContain('"sequence_number":3')
      expect(one).not.toContain('"sequence_number":2,')
      expect(one).toContain('A drink.')
      expect(another).toBe(one)
      const long = await respond(1, { input: 'Tea, at length', background: true })
      await expect
        .poll(() => statusAt(0, long.id), { timeout: 20_000, interval: 200 })
        .toBe('in_progress')
      const { aborted } = await model.request(3)
      expect((await (await at(0, `${long.id}/cancel`, 'POST')).json()) as object).toMatchObject({
        status: 'cancelled',
      })
      await aborted
      expect(await statusAt(1, long.id)).toBe('cancelled')

      // Wrong passwords count in both: the eleventh attempt is refused, also with the right one.
      const guesser = balanced()
      await guesser.open('/login')
      for (let n = 0; n < 10; n += 1)
        await guesser.submit('/login', { ...account, password: 'a wrong guess' })
      for (let n = 0; n < 2; n += 1) {
        await guesser.submit('/login', account)
        expect(guesser.response.status).toBe(429)
      }
    },
  )
})
