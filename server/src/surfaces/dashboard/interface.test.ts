import { beforeAll, describe, expect, test } from 'vitest'
import { commonFaults, defineFaults, Fault, faultKinds } from '#kernel/fault.ts'
import {
  baseUrl,
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import { toDashboardFault } from './dashboard-faults.ts'

const kinds = {
  invalid: 422,
  unauthenticated: 401,
  expired: 410,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limited: 429,
  too_large: 413,
  unavailable: 503,
  internal: 500,
} as const

describe('a fault in the dashboard’s format', () => {
  test.each(faultKinds)('a fault of the kind %s has its status and a sentence', (kind) => {
    const { some_code } = defineFaults({ some_code: kind })
    const { status, error } = toDashboardFault(new Fault(some_code))
    expect(status).toBe(kinds[kind])
    expect(error.message).toMatch(/^[A-Z].*\.$/)
    expect(error.code).toBe(kind === 'internal' ? 'internal' : 'some_code')
  })

  test('an error that is not a fault reveals nothing about itself', () => {
    const fault = toDashboardFault(new Error('the password is 123'))
    expect(fault.status).toBe(500)
    expect(JSON.stringify(fault)).not.toContain('123')
  })

  test('the problem of each field is listed', () => {
    const issues = ['name: Too small']
    const { error } = toDashboardFault(new Fault(commonFaults.invalid_input, { issues }))
    expect(error.issues).toEqual(issues)
  })
})

describeSignIn('the interface of the dashboard', (open) => {
  let service: SignInService
  let ada: FormBrowser
  let cookie: string

  const cookieOf = (browser: FormBrowser) =>
    [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  const ownPage = { origin: baseUrl, 'sec-fetch-site': 'same-origin' }

  async function call(name: string, input: unknown = {}, headers: Record<string, string> = {}) {
    return await service.post(`/api/dashboard/operations/${name}`, input, {
      ...ownPage,
      cookie,
      ...headers,
    })
  }

  async function as(account: Account): Promise<Record<string, string>> {
    return { cookie: cookieOf(await service.signedIn(account)) }
  }

  beforeAll(async () => {
    service = await open()
    ada = await service.signedIn()
    cookie = cookieOf(ada)
  })

  test('an operation runs as the person who is signed in', async () => {
    const made = await call('create_app', { name: 'Made here' })
    expect(made.status).toBe(200)
    const { app_name_id } = (await made.json()) as { app_name_id: string }
    const listed = await call('list_apps')
    expect(await listed.json()).toMatchObject({ items: [{ app_name_id, name: 'Made here' }] })
    expect(listed.headers.get('cache-control')).toBe('no-store')
  })

  test('a request without a session is refused', async () => {
    const refused = await call('list_apps', {}, { cookie: '' })
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: { code: 'not_signed_in' } })
    const me = await service.app.request(`${baseUrl}/api/dashboard/me`)
    expect(me.status).toBe(401)
  })

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site whose browser says no more', { origin: 'https://evil.example' }],
    ['a sibling host', { origin: 'http://evil.localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['our origin by a navigation from elsewhere', { ...ownPage, 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['no origin at all', { origin: '', 'sec-fetch-site': 'same-origin' }],
  ])('a change that %s requests is refused', async (_, headers) => {
    const before = await (await call('list_apps')).json()
    const refused = await call('create_app', { name: 'Forged' }, headers)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: { code: 'cross_site' } })
    expect(await (await call('list_apps')).json()).toEqual(before)
  })

  test('the service under another of its names serves its own pages', async () => {
    const names = { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }
    expect((await call('list_apps', {}, names)).status).toBe(200)
  })

  test('a body that is not JSON, or not labelled so, or too large, is refused', async () => {
    expect((await call('list_apps', '{')).status).toBe(400)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await call('list_apps', 'a=b', form)).status).toBe(415)
    const long = JSON.stringify({ name: 'x'.repeat(service.ctx.config.maxBodyBytes) })
    expect((await call('create_app', long)).status).toBe(413)
  })

  test.each([
    ['lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('a document of %s nested 100,000 deep is refused', async (_, deep) => {
    const refused = await call('import_app', `{"document":${deep}}`)
    expect(refused.status).toBe(400)
    const { error } = (await refused.json()) as { error: { code: string; message: string } }
    expect(error.message).toBe('The request is nested deeper than 64 levels.')
  })

  test('a body of too many values is refused', async () => {
    const values = `[${'0,'.repeat(300_000)}0]`
    expect((await call('create_app', `{"name":${values}}`)).status).toBe(400)
  })

  test('an agent’s document may be larger than other bodies, up to its own limit', async () => {
    const small = await open({ MAX_BODY_BYTES: '2000', MAX_IMPORT_BYTES: '8000' })
    const headers = { ...ownPage, cookie: cookieOf(await small.signedIn()) }
    const post = (name: string, input: object) =>
      small.post(`/api/dashboard/operations/${name}`, input, headers)
    const importing = (length: number) => {
      const agent = { name: 'Long', model: 'local/extractive', system_prompt: 'x'.repeat(length) }
      return post('import_app', { document: { format: 'parley.agent', version: 1, agent } })
    }
    expect((await importing(5000)).status).toBe(200)
    const beyond = await importing(8000)
    expect(await beyond.json()).toMatchObject({ error: { code: 'document_too_large' } })
    expect(await (await importing(20_000)).json()).toMatchObject({
      error: { code: 'body_too_large' },
    })
    expect((await post('create_app', { name: 'N', system_prompt: 'x'.repeat(5000) })).status).toBe(
      413,
    )
  })

  test('an error names the invalid field', async () => {
    const refused = await call('create_app', { name: '', colour: 'red' })
    expect(refused.status).toBe(422)
    const { error } = (await refused.json()) as { error: { issues: string[]; request_id: string } }
    expect(error.issues.some((issue) => issue.startsWith('name: '))).toBe(true)
    expect(error.request_id).toBe(refused.headers.get('x-request-id'))
  })

  test.each(['no_such_operation', '__proto__', 'constructor'])(
    'there is no operation %s',
    async (name) => {
      expect((await call(name)).status).toBe(404)
    },
  )

  test('an unknown address stays a JSON 404, and a wrong method names the right one', async () => {
    const unknown = await service.app.request(`${baseUrl}/api/dashboard/nothing`)
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: { code: 'unknown_path' } })
    const wrong = await service.app.request(`${baseUrl}/api/dashboard/operations/list_apps`)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('no endpoint shows a stranger anything of another workspace', async () => {
    const mine = (await (await call('create_app', { name: 'Mine' })).json()) as { id: string }
    const eve = await as(await service.account('eve'))
    for (const [name, input] of [
      ['get_app', { app_id: mine.id }],
      ['update_app', { app_id: mine.id, name: 'Stolen' }],
      ['list_apps', { workspace_id: service.ada.workspaceId }],
    ] as const) {
      const refused = await call(name, input, eve)
      expect([name, refused.status]).toEqual([name, 404])
    }
  })

  test('a viewer reads and changes nothing', async () => {
    const vera = await service.account('vera')
    const seat = { workspace_id: service.ada.workspaceId, user_id: vera.userId, role: 'viewer' }
    await service.ctx.db.write((tx) =>
      tx
        .insertInto('memberships')
        .values({ ...seat, created_at: 1 })
        .execute(),
    )
    const viewer = await as(vera)
    const { workspaceId } = service.ada
    expect((await call('list_apps', { workspace_id: workspaceId }, viewer)).status).toBe(200)
    const refused = await call('create_app', { name: 'x', workspace_id: workspaceId }, viewer)
    expect(refused.status).toBe(403)
  })

  test('a member of no workspace may create or restore one, and nothing else', async () => {
    const nemo = await service.account('nemo')
    const headers = await as(nemo)
    const ask = async (name: string, input: unknown = {}) => {
      const answer = await call(name, input, headers)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const { id } = (await ask('get_workspace')).body
    await service.ctx.db.write((tx) =>
      tx.deleteFrom('memberships').where('user_id', '=', nemo.userId).execute(),
    )
    const refused = { status: 403, body: { error: { code: 'no_workspace' } } }
    for (const [name, input] of [
      ['list_apps', {}],
      ['create_app', { name: 'Nowhere' }],
      ['get_workspace', { workspace_id: id }],
    ] as const)
      expect([name, await ask(name, input)]).toMatchObject([name, refused])
    expect((await ask('create_workspace', { name: '' })).status).toBe(422)
    expect((await ask('restore_workspace', { id: service.ada.workspaceId })).status).toBe(404)
    expect((await ask('list_deleted_workspaces')).body).toMatchObject({ items: [] })

    const made = await ask('create_workspace', { name: 'A new start' })
    expect(made).toMatchObject({ status: 200, body: { role: 'owner' } })
    const recorded = { action: 'create_workspace', outcome: 'done', target: made.body.id }
    expect((await ask('list_audit_events')).body).toMatchObject({ items: [recorded] })
    await ask('delete_workspace', { confirm_name: 'A new start' })
    expect((await ask('restore_workspace', { id: made.body.id })).status).toBe(200)
    expect((await ask('list_apps')).status).toBe(200)
  })

  test('/me returns the person, their workspaces and what the pages need', async () => {
    const response = await service.app.request(`${baseUrl}/api/dashboard/me`, {
      headers: { cookie, 'accept-language': 'de-AT, en;q=0.5' },
    })
    expect(await response.json()).toMatchObject({
      user: { id: service.ada.userId, email: service.ada.email },
      workspaces: [{ id: service.ada.workspaceId, role: 'owner' }],
      default_workspace_id: service.ada.workspaceId,
      locale: 'de-AT',
    })
  })

  test('admins, and only they, can download the audit log with its filters', async () => {
    const get = async (query: string, headers: Record<string, string> = { cookie }) =>
      await service.app.request(`${baseUrl}/api/dashboard/audit-log?${query}`, { headers })
    await call('create_app', { name: 'Audited' })
    await call('create_workspace', { name: 'Noise' })
    const csv = await get('format=csv&action=create_app')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
    const [head, ...rows] = (await csv.text()).trim().split('\r\n')
    expect(head).toContain('action')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every((row) => row.includes('create_app'))).toBe(true)
    expect(await (await get('format=jsonl&outcome=done')).text()).toContain('"Audited"')
    const exports = await (await get('format=csv&action=export_audit_events')).text()
    // The two above, and this one.
    expect(exports.trim().split('\r\n')).toHaveLength(1 + 3)
    expect((await get('format=xml')).status).toBe(422)
    expect((await get('', {})).status).toBe(401)
    const vic = await service.account('vic')
    const seat = { workspace_id: service.ada.workspaceId, user_id: vic.userId, role: 'editor' }
    const row = { ...seat, created_at: 1 }
    await service.ctx.db.write((tx) => tx.insertInto('memberships').values(row).execute())
    const query = `workspace_id=${service.ada.workspaceId}`
    expect((await get(query, await as(vic))).status).toBe(403)
  })
})
