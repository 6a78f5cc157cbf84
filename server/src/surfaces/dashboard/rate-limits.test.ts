import { expect, test } from 'vitest'
import { readConfig } from '#config'
import {
  baseUrl,
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/sign-in-service.ts'

const base = '/api/dashboard'

async function client(service: SignInService, account?: Account) {
  const { cookies } = await service.signedIn(account)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, origin: baseUrl, 'sec-fetch-site': 'same-origin' }
  return {
    get: async (path: string) => await service.app.request(`${baseUrl}${base}${path}`, { headers }),
    post: (path: string, body: object) => service.post(`${base}${path}`, body, headers),
  }
}

function expectLimited(response: Response): void {
  expect(response.status).toBe(429)
  const wait = Number(response.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
}

describeSignIn('the rate limits of the dashboard', (open) => {
  test('count the calls of a person together, whatever the session', async () => {
    const service = await open({ DASHBOARD_RATE_LIMIT: '3' })
    const [here, there] = [await client(service), await client(service)]
    const made = await here.post('/operations/create_app', { name: 'Renamed' })
    const { id } = (await made.json()) as { id: string }
    const rename = { app_id: id, name: 'Once' }
    expect((await here.post('/operations/update_app', rename)).status).toBe(200)
    expect((await there.get('/me')).status).toBe(200)
    const refused = await there.post('/operations/update_app', rename)
    expectLimited(refused)
    const message =
      'Your rate limit is reached (3 requests a minute). Wait a minute, then try again.'
    expect(await refused.json()).toEqual({
      error: { code: 'rate_limited', message, request_id: expect.any(String) },
    })
    const other = await client(service, await service.account('other'))
    expect((await other.get('/me')).status).toBe(200)
  })

  test('hold at every path of the API', async () => {
    const service = await open({ DASHBOARD_RATE_LIMIT: '1' })
    const { get, post } = await client(service)
    expect((await get('/me')).status).toBe(200)
    const routes = service.app.routes.filter(
      ({ method, path }) => path.startsWith(`${base}/`) && method !== 'ALL',
    )
    expect(routes.length).toBeGreaterThan(7)
    for (const { method, path } of routes) {
      const named = path.slice(base.length).replace(':name', 'list_apps').replace(':appId', 'some')
      expectLimited(method === 'GET' ? await get(named) : await post(named, {}))
    }
  })

  test('count the test chat for the agent, with the other ways to chat', async () => {
    const service = await open({ CHAT_AGENT_RATE_LIMIT: '2' })
    const { post } = await client(service)
    const made = await post('/operations/create_app', { name: 'Busy' })
    const { id } = (await made.json()) as { id: string }
    const say = () => post(`/agents/${id}/chat`, { message: 'Hello' })
    const first = await say()
    expect(first.status).toBe(200)
    expect(await first.text()).toContain('"type":"done"')
    const second = await post('/operations/chat_with_app', { app_id: id, message: 'Hello' })
    expect(second.status).toBe(200)
    const refused = await say()
    expectLimited(refused)
    expect(await refused.json()).toMatchObject({ error: { code: 'agent_rate_limited' } })
  })
})

test('the rate limit of the dashboard is generous, and can be removed', () => {
  expect(readConfig({}).dashboardRateLimit).toBe(1_200)
  expect(readConfig({ DASHBOARD_RATE_LIMIT: 'unlimited' }).dashboardRateLimit).toBeNull()
})
