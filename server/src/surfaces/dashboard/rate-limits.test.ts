import { expect, test } from 'vitest'
import { readConfig } from '#config'
import {
  baseUrl,
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

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

  test('count the changes of a workspace in a day, but nothing that is removed', async () => {
    const service = await open({ CHANGES_PER_DAY: '2' })
    const { post } = await client(service)
    const made = await post('/operations/create_app', { name: 'One' })
    const { id } = (await made.json()) as { id: string }
    expect((await post('/operations/update_app', { app_id: id, name: 'Two' })).status).toBe(200)
    const refused = await post('/operations/update_app', { app_id: id, name: 'Three' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(await refused.json()).toMatchObject({ error: { code: 'changes_limited' } })
    expect((await post('/operations/list_apps', {})).status).toBe(200)
    expect((await post('/operations/delete_app', { app_id: id })).status).toBe(200)
    const other = await client(service, await service.account('busy'))
    expect((await other.post('/operations/create_app', { name: 'Other' })).status).toBe(200)
    const rows = service.ctx.db.read.selectFrom('audit_events').select('action')
    const actions = (await rows.where('action', '=', 'update_app').execute()).length
    expect(actions).toBe(1)
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
