import fc, { type Arbitrary } from 'fast-check'
import { createUser, insertEmailLink } from '#features/identity/index.ts'
import { inviteMember } from '#features/members/index.ts'
import { hashToken } from '#kernel/tokens.ts'
import { personWithApp } from '#test/support/identity/authenticator-app.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import { baseUrl, beginConsent } from '#test/support/identity/sign-in-service.ts'
import {
  createSoftwarePasskey,
  userPresent,
  type Ceremony,
} from '#test/support/browser/software-passkey.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import { pageHeaders, type Entry } from './fuzz-entry.ts'
import type { FuzzedService } from './fuzzed-service.ts'
import { formPayloads, spoiltJson } from './mutations.ts'

type Fields = readonly string[] | Readonly<Record<string, Arbitrary<string>>>

async function formEntry(
  browser: FormBrowser,
  route: string,
  form: { readonly page: string; readonly action?: string; readonly fields?: Fields },
): Promise<Entry> {
  const { page, action = route, fields = [] } = form
  await browser.open(page)
  return formOnPage(browser, route, { action, fields })
}

function formOnPage(
  browser: FormBrowser,
  route: string,
  { action, fields }: { readonly action: string; readonly fields: Fields },
): Entry {
  const sent = Object.fromEntries(browser.formOf(action))
  const typed = Array.isArray(fields)
    ? fields.map((name: string) => [name, fc.string({ maxLength: 20 })])
    : Object.entries(fields)
  const kept = Object.entries(sent).map(([name, value]) => [name, fc.constant(value)])
  return {
    name: `form ${route}`,
    route,
    path: action,
    headers: pageHeaders({ browser }),
    payloads: formPayloads(fc.record(Object.fromEntries([...kept, ...typed]))),
  }
}

/** The forms of the pages. */
export async function formEntries(
  { service, provider }: FuzzedService,
  tenant: Tenant,
): Promise<readonly Entry[]> {
  const { ctx } = service
  const now = ctx.clock.now()
  const link = { hash: hashToken('fuzz'), user_id: tenant.userId, created_at: now }
  const times = { expires_at: now + 86_400_000, used_at: null }
  await ctx.db.write((tx) =>
    tx
      .insertInto('setup_links')
      .values({ ...link, ...times })
      .execute(),
  )
  const invited = await inviteMember(ctx, tenant, { role: 'viewer' })
  const invitation = new URL(invited.link ?? '').pathname
  const { user } = await createUser(ctx, { email: 'undo@example.com' })
  const mailed = { expires_at: times.expires_at, invitation_id: null, created_at: now }
  const undo = {
    ...mailed,
    user_id: user.id,
    purpose: 'undo',
    email: 'former@example.com',
  } as const
  const change = {
    ...mailed,
    user_id: tenant.userId,
    purpose: 'change',
    email: 'x@y.example',
  } as const
  await ctx.db.write(async (tx) => {
    await insertEmailLink(tx, { ...undo, hash: link.hash })
    await insertEmailLink(tx, { ...change, hash: hashToken('fuzz-change') })
  })
  const consent = await beginConsent(await service.signedIn())
  const account = { page: '/account' }
  const guest = () => service.browser()
  const out: Entry = {
    ...(await formEntry(tenant.browser, '/sign-out', account)),
    // With the right token, the tenant would be signed out.
    payloads: formPayloads(fc.record({ form_token: fc.string(), return_to: fc.webPath() })),
  }
  return [
    await formEntry(guest(), '/login', { page: '/login', fields: ['email', 'password'] }),
    await formEntry(guest(), '/setup', {
      page: '/setup?token=fuzz',
      fields: ['email', 'password', 'invitation'],
    }),
    await formEntry(guest(), '/invitations/:token', {
      page: invitation,
      action: invitation,
      fields: ['email', 'name', 'password'],
    }),
    {
      ...(await formEntry(guest(), '/invitations/:token/mail', {
        page: invitation,
        action: invitation,
        fields: ['to'],
      })),
      path: `${invitation}/mail`,
    },
    await formEntry(guest(), '/account/email/undo', {
      page: '/account/email/undo?token=fuzz',
      fields: ['password'],
    }),
    await formEntry(tenant.browser, '/account/password', {
      ...account,
      fields: ['current', 'next'],
    }),
    await formEntry(tenant.browser, '/account/name', { ...account, fields: ['name'] }),
    ...[
      ['/account/sessions/end', 'id'],
      ['/account/connected-apps/revoke', 'id'],
      ['/account/sessions/end-others', 'x'],
      ['/account/second-factor/remove', 'id'],
      ['/account/second-factor/recovery-codes', 'x'],
    ].map(([route = '', field = '']) => ({
      ...formOnPage(tenant.browser, route, { action: '/account/password', fields: [field] }),
      path: route,
    })),
    await formEntry(tenant.browser, '/account/email', {
      page: '/account/email',
      fields: ['email'],
    }),
    {
      ...(await formEntry(tenant.browser, '/account/email/confirm', {
        page: '/account/email/confirm?token=fuzz-change',
      })),
      // With the right token, the tenant's address would change.
      payloads: formPayloads(fc.record({ form_token: fc.string(), token: fc.string() })),
    },
    ...(await factorEntries(service, tenant)),
    out,
    formOnPage(consent, '/mcp/oauth/consent', {
      action: '/mcp/oauth/consent',
      fields: ['decision', 'scope', 'access', 'workspace_id'],
    }),
    {
      name: 'form /login/oidc/back-channel-logout',
      route: '/login/oidc/back-channel-logout',
      path: '/login/oidc/back-channel-logout',
      headers: {},
      payloads: formPayloads(fc.record({ logout_token: logoutTokens(provider) })),
    },
  ]
}

/** Tokens that the provider signed, with claims and headers of every kind, and other texts. */
function logoutTokens(provider: FuzzedService['provider']): Arbitrary<string> {
  const word = fc.oneof(fc.string(), fc.constantFrom('nobody', null, 1, [], {}))
  const claims = fc.record(
    { sub: word, sid: word, jti: word, nonce: word, events: fc.jsonValue(), aud: fc.jsonValue() },
    { requiredKeys: [] },
  )
  const header = fc.constantFrom({}, { typ: 'JWT' }, { kid: 'x' }, { crit: ['x'] }, { kid: {} })
  const signed = fc.tuple(claims, header).map(([claim, head]) => provider.logoutToken(claim, head))
  return fc.oneof({ arbitrary: signed, weight: 4 }, fc.base64String(), fc.string())
}

const step = '/login/second-factor'

/** What the form of a page passes to the browser. */
function ceremonyOn({ html }: FormBrowser): Ceremony {
  const options = /data-options="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"')
  return JSON.parse(options ?? 'null') as Ceremony // The service wrote it.
}

/** A sign-in that waits for its second factor, and the pages that add one or ask for one again. */
async function factorEntries(
  service: FuzzedService['service'],
  tenant: Tenant,
): Promise<readonly Entry[]> {
  const { person, browser } = await personWithApp(service)
  const [adding, app] = ['/account/second-factor/passkey', '/account/second-factor/app']
  const [mine, thief] = [createSoftwarePasskey(baseUrl), createSoftwarePasskey(baseUrl)]
  await browser.open(adding)
  await browser.submit(adding, { answer: mine.create(ceremonyOn(browser)) })
  const withCode = await service.signedIn(person)
  const withPasskey = await service.signedIn(person)
  const used = mine.use(ceremonyOn(withPasskey), { key: thief.privateKey })
  await tenant.browser.open(adding)
  // Without verifying the person, so that it is read whole and refused.
  const made = thief.create(ceremonyOn(tenant.browser), { flags: 0x40 | userPresent })
  const answers = (valid: string) => ({ answer: spoiltJson(JSON.parse(valid)) })
  const addPasskey = { action: adding, fields: answers(made) }
  return [
    formOnPage(withCode, step, { action: step, fields: ['code'] }),
    formOnPage(withPasskey, step, { action: step, fields: answers(used) }),
    formOnPage(tenant.browser, adding, addPasskey),
    await formEntry(tenant.browser, app, { page: app, fields: ['code', 'name'] }),
    await formEntry(tenant.browser, '/account/confirm', {
      page: '/account/confirm',
      fields: ['code', 'password'],
    }),
  ]
}
