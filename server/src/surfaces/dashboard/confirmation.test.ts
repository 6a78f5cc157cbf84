import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { operations } from '#operations/catalogue.ts'
import { personWithApp } from '#test/support/identity/authenticator-app.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  baseUrl,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const tenMinutes = 10 * 60_000

const namesOf = (some: typeof operations) => some.map(({ name }) => name).sort()
const asking = operations.filter(({ needsConfirmation }) => needsConfirmation !== false)

test('what creates credentials, deletes for good or hands over needs a confirmation', () => {
  expect(namesOf(asking)).toEqual([
    'allow_any_host',
    'change_member_role',
    'create_account',
    'create_acp_key',
    'create_chat_key',
    'create_developer_key',
    'delete_app',
    'delete_workspace',
    'erase_end_user',
    'invite_member',
    'resend_invitation',
    'rotate_identity_secret',
    'set_provider',
    'set_second_factor_requirement',
    'transfer_workspace',
    'update_chat_page',
  ])
})

/** A new destructive operation is added here or needs a confirmation: decision 24 has the reasons. */
const destroysWithoutAsking = {
  access: [
    'delete_developer_key',
    'end_chat_visits',
    'leave_workspace',
    'remove_member',
    'revoke_acp_key',
    'revoke_chat_key',
    'revoke_connected_app',
    'revoke_invitation',
  ],
  'parts of an agent': [
    'delete_app_variable',
    'delete_custom_action',
    'delete_knowledge_source',
    'delete_product',
    'delete_webhook_endpoint',
    'discard_app_draft',
    'remove_mcp_server',
  ],
  orders: ['cancel_order', 'refund_order'],
  'what an action reaches': ['test_custom_action'],
}

test('of the destructive operations, only these need no confirmation', () => {
  const destructive = operations.filter(({ hints }) => hints.destructive)
  const others = destructive.filter(({ needsConfirmation }) => needsConfirmation === false)
  expect(namesOf(others)).toEqual(Object.values(destroysWithoutAsking).flat().sort())
})

test('what revokes or reads never needs a confirmation', () => {
  const names = namesOf(asking)
  for (const name of names)
    expect(name).not.toMatch(/^(?:revoke|remove|delete_\w*key|leave|list|get)/)
  for (const { hints, surfaces } of asking) {
    expect(hints.readOnly).toBe(false)
    expect(surfaces).toContain('dashboard')
  }
})

describeSignIn('the confirmation of the dashboard', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'parley@example.com' })
  })

  const post = async (browser: FormBrowser, path: string, body: object) => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: new URL(baseUrl).origin, 'sec-fetch-site': 'same-origin' }
    const response = await service.post(`/api/dashboard/${path}`, body, headers)
    const answer = (await response.json()) as Readonly<Record<string, unknown>>
    return { status: response.status, answer }
  }
  const createKey = (browser: FormBrowser) =>
    post(browser, 'operations/create_developer_key', { name: 'A key' })
  const confirm = async (browser: FormBrowser, body: object) =>
    (await post(browser, 'confirmation', body)).status

  test('is asked for ten minutes after sign-in, and holds for ten minutes', async () => {
    const person = await service.account('waiting')
    const browser = await service.signedIn(person)
    service.advance(tenMinutes - 1)
    expect((await createKey(browser)).status).toBe(200)
    service.advance(1)
    const refused = await createKey(browser)
    expect(refused.status).toBe(403)
    expect(refused.answer).toMatchObject({ error: { code: 'confirmation_required' } })
    expect(await confirm(browser, { password: person.password })).toBe(200)
    expect((await createKey(browser)).status).toBe(200)
    service.advance(tenMinutes)
    expect((await createKey(browser)).status).toBe(403)
  })

  test('is of one session: another browser of the person needs its own', async () => {
    const person = await service.account('two-browsers')
    const [here, there] = [await service.signedIn(person), await service.signedIn(person)]
    service.advance(tenMinutes)
    expect(await confirm(here, { password: person.password })).toBe(200)
    expect((await createKey(there)).status).toBe(403)
  })

  test('is never asked for before revoking', async () => {
    const browser = await service.signedIn(await service.account('revoking'))
    const { answer } = await createKey(browser)
    service.advance(tenMinutes)
    const revoked = await post(browser, 'operations/delete_developer_key', { id: answer.id })
    expect(revoked.status).toBe(200)
  })

  test('making an owner or admin needs one, taking the role away needs none', async () => {
    const owner = await service.account('handing-over')
    const other = await service.account('receiving')
    await service.join({ ...other, name: 'other' }, owner.workspaceId, 'admin')
    const browser = await service.signedIn(owner)
    service.advance(tenMinutes)
    const change = (role: string) =>
      post(browser, 'operations/change_member_role', {
        user_id: other.userId,
        role,
        workspace_id: owner.workspaceId,
      })
    expect((await change('owner')).status).toBe(403)
    expect((await change('viewer')).status).toBe(200)
    expect((await change('admin')).status).toBe(403)
  })

  test('inviting an admin needs one, inviting an editor needs none', async () => {
    const owner = await service.account('inviting')
    const browser = await service.signedIn(owner)
    service.advance(tenMinutes)
    const invite = (role: string) =>
      post(browser, 'operations/invite_member', {
        role,
        by_mail: false,
        workspace_id: owner.workspaceId,
      })
    const refused = await invite('admin')
    expect(refused.status).toBe(403)
    expect(refused.answer).toMatchObject({ error: { code: 'confirmation_required' } })
    expect((await invite('editor')).status).toBe(200)
    expect(await confirm(browser, { password: owner.password })).toBe(200)
    expect((await invite('admin')).status).toBe(200)
  })

  test('changing who vouches for visitors needs one, other settings of the page need none', async () => {
    const owner = await service.account('vouching')
    const { id: app_id } = await createAgent(service.ctx, owner, { name: 'Vouched' })
    const browser = await service.signedIn(owner)
    service.advance(tenMinutes)
    const change = (patch: object) =>
      post(browser, 'operations/update_chat_page', { app_id, ...patch })
    const keys = { identity_jwks_url: 'https://keys.example/jwks' }
    for (const patch of [keys, { identity_issuer: 'x' }, { identity_audience: '' }]) {
      const refused = await change({ title: 'Changed', ...patch })
      expect(refused.status).toBe(403)
      expect(refused.answer).toMatchObject({ error: { code: 'confirmation_required' } })
    }
    expect((await change({ title: 'Shop' })).answer).toMatchObject({ identity_jwks_url: '' })
    expect((await change({ identity_jwks_url: '' })).status).toBe(200)
    expect(await confirm(browser, { password: owner.password })).toBe(200)
    expect((await change(keys)).answer).toMatchObject(keys)
  })

  test('showing the link of an invitation as admin again needs one', async () => {
    const owner = await service.account('resending')
    const { workspaceId: workspace_id } = owner
    const browser = await service.signedIn(owner)
    const run = (name: string, input: object) =>
      post(browser, `operations/${name}`, { ...input, workspace_id })
    const invited = async (input: object) => (await run('invite_member', input)).answer.id
    const admin = await invited({ role: 'admin', by_mail: false })
    const mailed = await invited({ role: 'admin', email: 'mailed@example.com' })
    const editor = await invited({ role: 'editor', by_mail: false })
    service.advance(tenMinutes)
    const resend = async (id: unknown, input = {}) => {
      const { status, answer } = await run('resend_invitation', { id, ...input })
      return { answered: status, ...answer }
    }
    const asked = { answered: 403, error: { code: 'confirmation_required' } }
    expect(await resend(admin)).toMatchObject(asked)
    expect(await resend(mailed, { by_mail: false })).toMatchObject(asked)
    expect(await resend(mailed)).toMatchObject({ answered: 200, link: null })
    expect(await resend(editor)).toMatchObject({ answered: 200 })
    const stranger = await service.signedIn(await service.account('not-a-member'))
    service.advance(tenMinutes)
    const beyond = await post(stranger, 'operations/resend_invitation', { id: admin, workspace_id })
    expect(beyond.status).toBe(404)
    expect(await confirm(browser, { password: owner.password })).toBe(200)
    expect(await resend(admin)).toMatchObject({
      answered: 200,
      link: expect.stringMatching(/^http/),
    })
  })

  test('names the ways of a person: the password, or the second factor', async () => {
    const plain = await service.signedIn(await service.account('plain'))
    const ways = await post(plain, 'confirmation/begin', {})
    expect(ways.answer).toMatchObject({
      password: true,
      code: false,
      passkey: null,
      provider: null,
    })
    const { person, browser, app } = await personWithApp(service)
    const withFactor = await post(browser, 'confirmation/begin', {})
    expect(withFactor.answer).toMatchObject({ password: false, code: true, app: true })
    service.advance(tenMinutes)
    expect(await confirm(browser, { password: person.password })).toBe(422)
    expect(await confirm(browser, { code: app.code(50) })).toBe(422)
    expect((await createKey(browser)).status).toBe(403)
    expect(await confirm(browser, { code: app.code() })).toBe(200)
    expect((await createKey(browser)).status).toBe(200)
  })

  test('guesses at the password are limited', async () => {
    const person = await service.account('guessed')
    const browser = await service.signedIn(person)
    for (let count = 0; count < 10; count += 1)
      expect(await confirm(browser, { password: 'a guess' })).toBe(422)
    expect(await confirm(browser, { password: person.password })).toBe(429)
  })

  test('other input is refused', async () => {
    const browser = await service.signedIn(await service.account('odd'))
    for (const body of [{}, { password: 1 }, { code: 'x', password: 'y' }, { passkey: {} }])
      expect(await confirm(browser, body)).toBe(422)
    expect(await confirm(browser, { passkey: 'not json' })).toBe(410)
  })
})
