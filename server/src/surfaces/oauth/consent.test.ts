import { beforeAll, expect, test } from 'vitest'
import { createWorkspace } from '#features/workspaces/index.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  baseUrl,
  beginConsent as begin,
  describeSignIn,
  obtainCode,
  redemptionBody,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const consent = '/mcp/oauth/consent'

describeSignIn('consent', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const scopeOf = async (browser: FormBrowser, asked: string, answer = {}) => {
    const flow = await obtainCode(browser, { scope: asked }, answer)
    const response = await service.post('/mcp/oauth/token', redemptionBody(flow))
    // The test’s expectations check the body.
    return ((await response.json()) as { scope: string }).scope
  }

  test('a signed-out person signs in first and comes back to the same request', async () => {
    const browser = await begin(service.browser())
    expect(browser.url.pathname).toBe('/login')
    const { email, password } = service.ada
    await browser.submit('/login', { email, password })
    expect(browser.url.pathname).toBe(consent)
    const back = new URL((await browser.submit(consent, { decision: 'authorize' }))!)
    expect(back.searchParams.get('code')).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test.each(['authorize', 'deny'])(
    'a live session decides, however old it is: %s',
    async (decision) => {
      const slow = await open()
      const browser = await slow.signedIn()
      slow.advance(6 * 24 * 60 * 60_000)
      await begin(browser)
      const back = new URL((await browser.submit(consent, { decision }))!)
      const answer = decision === 'authorize' ? 'code' : 'error'
      expect(back.searchParams.get(answer)).toMatch(/^([A-Za-z0-9_-]{43}|access_denied)$/)
    },
  )

  test('the page names the application, the return address, the account and each permission', async () => {
    const browser = await begin(await service.signedIn())
    const text = browser.html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(text).toContain('Command-line MCP client')
    expect(text).toContain('localhost:4567')
    expect(text).toContain('ada@example.com')
    for (const [scope, meaning] of [
      ['apps:read', 'View agents'],
      ['billing:read', 'View subscription and credits'],
    ])
      expect(text).toContain(`${meaning} ${scope}`)
    expect(browser.formOf(consent).getAll('scope')).toHaveLength(10)
    expect(text).toMatch(/Authorize Deny/)
  })

  test('the page says what a permission includes besides the words of its scope', async () => {
    const browser = await begin(await service.signedIn(), { scope: 'apps:write' })
    expect(browser.html).toContain('Create, update, delete agents')
    expect(browser.html).toContain('Also chat with them, which uses credits')
  })

  test('only requested scopes are offered', async () => {
    const browser = await begin(await service.signedIn(), { scope: 'apps:read knowledge:read' })
    expect(browser.formOf(consent).getAll('scope')).toEqual(['apps:read', 'knowledge:read'])
  })

  test('Deny returns access_denied, the state and iss', async () => {
    const browser = await begin(await service.signedIn(), { state: 'a+b/c=&%20"é' })
    const back = new URL((await browser.submit(consent, { decision: 'deny' }))!)
    expect(browser.response.status).toBe(303)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a+b/c=&%20"é',
      iss: baseUrl,
    })
    expect(back.searchParams.get('code')).toBeNull()
  })

  test('state is returned unchanged, with iss and the code', async () => {
    const state = '~!*()\'"<x>&=+%2B ü\u{1F600}'
    const browser = await begin(await service.signedIn(), { state })
    const back = new URL((await browser.submit(consent, { decision: 'authorize' }))!)
    expect(back.searchParams.get('state')).toBe(state)
    expect(back.searchParams.get('iss')).toBe(baseUrl)
  })

  test('unchecked permissions are missing from the granted scope', async () => {
    const browser = await service.signedIn()
    expect(await scopeOf(browser, '*')).toBe('*')
    expect(await scopeOf(browser, '*', { scope: ['apps:read', 'apps:write'] })).toBe(
      'apps:read apps:write',
    )
    const asked = 'apps:read apps:write analytics:read'
    expect(await scopeOf(browser, asked)).toBe(asked)
  })

  test('read only keeps the scopes that read and drops the others', async () => {
    const browser = await service.signedIn()
    const scope = await scopeOf(browser, '*', { access: 'read_only' })
    expect(scope).toBe(
      'apps:read knowledge:read actions:read analytics:read workspace:read billing:read',
    )
  })

  test('a form with nothing checked is shown again, and the request stays open', async () => {
    const browser = await begin(await service.signedIn())
    await browser.submit(consent, { decision: 'authorize', scope: [] })
    expect(browser.response.status).toBe(422)
    expect(browser.html).toContain('Check at least one permission')
    expect(await browser.submit(consent, { decision: 'authorize' })).toContain('code=')
  })

  test('the workspace that is chosen is the one that the grant starts in', async () => {
    const eve = await service.account('eve')
    const second = await createWorkspace(service.ctx, eve.userId, { name: 'Second' })
    const browser = await begin(await service.signedIn(eve))
    expect(browser.formOf(consent).get('workspace_id')).toBe(eve.workspaceId)
    await browser.submit(consent, { decision: 'authorize', workspace_id: second.id })
    const row = await service.ctx.db.read
      .selectFrom('authorization_requests')
      .select('workspace_id')
      .where('user_id', '=', eve.userId)
      .executeTakeFirstOrThrow()
    expect(row.workspace_id).toBe(second.id)
  })
})
