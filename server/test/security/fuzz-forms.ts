import fc from 'fast-check'
import { createUser, insertEmailLink } from '#features/identity/index.ts'
import { inviteMember } from '#features/members/index.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { FormBrowser } from '#test/support/form-browser.ts'
import { beginConsent, type SignInService } from '#test/support/sign-in-service.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import { pageHeaders, type Entry } from './fuzz-entry.ts'
import { formPayloads } from './mutations.ts'

async function formEntry(
  browser: FormBrowser,
  route: string,
  form: { readonly page: string; readonly action?: string; readonly fields?: readonly string[] },
): Promise<Entry> {
  const { page, action = route, fields = [] } = form
  await browser.open(page)
  return formOnPage(browser, route, { action, fields })
}

function formOnPage(
  browser: FormBrowser,
  route: string,
  { action, fields }: { readonly action: string; readonly fields: readonly string[] },
): Entry {
  const sent = Object.fromEntries(browser.formOf(action))
  const typed = fields.map((name) => [name, fc.string({ maxLength: 20 })])
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
  service: SignInService,
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
  await ctx.db.write((tx) =>
    insertEmailLink(tx, {
      ...link,
      user_id: user.id,
      expires_at: times.expires_at,
      purpose: 'undo',
      email: 'former@example.com',
      invitation_id: null,
    }),
  )
  const consent = await beginConsent(await service.signedIn())
  const account = { page: '/account' }
  const guest = () => service.browser()
  const change = ['current', 'next']
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
    await formEntry(tenant.browser, '/account/password', { ...account, fields: change }),
    ...[
      ['/account/sessions/end', 'id'],
      ['/account/email', 'email'],
      ['/account/email/confirm', 'token'],
      ['/account/connected-apps/revoke', 'id'],
      ['/account/sessions/end-others', 'x'],
      ['/account/confirm', 'code'],
      ['/account/second-factor/app', 'code'],
      ['/account/second-factor/passkey', 'answer'],
      ['/account/second-factor/remove', 'id'],
      ['/account/second-factor/recovery-codes', 'x'],
      ['/login/second-factor', 'code'],
    ].map(([route = '', field = '']) => ({
      ...formOnPage(tenant.browser, route, { action: '/account/password', fields: [field] }),
      path: route,
    })),
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
      payloads: formPayloads(fc.record({ logout_token: fc.base64String() })),
    },
  ]
}
