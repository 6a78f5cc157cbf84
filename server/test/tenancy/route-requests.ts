import { inputsOf } from './operation-requests.ts'
import { asPage, type Tenant } from './tenant.ts'
import { fileRoutes } from './file-routes.ts'
import { responseRoutes } from './response-routes.ts'
import { bearer, json, type Ids, type Route } from './tenant-request.ts'
import { visitorRoutes } from './visitor-routes.ts'

function page(own: Tenant, body?: unknown): RequestInit {
  if (body === undefined) return asPage(own)
  return asPage(own, { method: 'POST', headers: json, body: JSON.stringify(body) })
}

function form(own: Tenant, fields: Readonly<Record<string, string>>): RequestInit {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const token = own.browser.formOf('/account/password').get('form_token') ?? ''
  const body = new URLSearchParams({ form_token: token, ...fields }).toString()
  return asPage(own, { method: 'POST', headers, body })
}

/**
 * Checkout requests: another tenant's shop with the own key, and another tenant's records in the
 * own shop.
 */
function checkout(suffix: string, body?: object): Route {
  return (own, ids) => {
    const path = suffix.replace(':id', suffix.startsWith('orders') ? ids.orderId : ids.checkoutId)
    const init = bearer(own.acpKey, body)
    return ['', 'v1/'].flatMap((version) => [
      { path: `/acp/${ids.appId}/${version}${path}`, init },
      { path: `/acp/${own.appId}/${version}${path}`, init },
      { path: `/acp/${version}${path}`, init },
    ])
  }
}

function basket({ productId }: Ids) {
  return { line_items: [{ product_id: productId, quantity: 1 }] }
}

const publicOrSecret = 'public, or found only with a secret'
const ownOnly = 'only about the person who is signed in'
const asset = 'the same for everyone'

/** Every route of the service. The test fails until a new route is added here. */
export const routes: Readonly<Record<string, Route>> = {
  'POST /api/v1/chat/completions': (own, ids) => {
    const messages = [{ role: 'user', content: 'hello' }]
    const body = { model: ids.appNameId, messages }
    return [{ path: '/api/v1/chat/completions', init: bearer(own.chatKey, body) }]
  },
  'POST /api/v1/chat/feedback': (own, ids) => {
    const { chatSessionId, messageId } = ids
    const body = { chatSessionId, messageId, rating: 'up' }
    return [{ path: '/api/v1/chat/feedback', init: bearer(own.chatKey, body) }]
  },
  ...responseRoutes,
  ...fileRoutes,
  'GET /api/v1/models': 'lists the one agent of the key',
  'GET /api/v1/models/:id': (own, ids) => [
    { path: `/api/v1/models/${ids.appNameId}`, init: bearer(own.chatKey) },
  ],
  ...visitorRoutes,
  'GET /.well-known/acp.json': asset,
  'GET /acp/:appId/.well-known/acp.json': publicOrSecret,
  'GET /acp/:appId/.well-known/agent.json': publicOrSecret,
  'GET /acp/:appId/products': publicOrSecret,
  'GET /acp/:appId/feed': publicOrSecret,
  'GET /acp/returned': 'the same answer for everyone, regardless of the record',
  'GET /acp/:appId/receipts/:key': (own, ids) => [
    { path: `/acp/${own.appId}/receipts/${ids.receiptKey}` },
  ],
  'POST /acp/:appId/checkout_sessions': (own, ids) => [
    { path: `/acp/${ids.appId}/checkout_sessions`, init: bearer(own.acpKey, basket(ids)) },
  ],
  'GET /acp/:appId/checkout_sessions/:id': checkout('checkout_sessions/:id'),
  'POST /acp/:appId/checkout_sessions/:id': checkout('checkout_sessions/:id', {}),
  'POST /acp/:appId/checkout_sessions/:id/complete': checkout('checkout_sessions/:id/complete', {
    buyer: { email: 'thief@example.com' },
  }),
  'POST /acp/:appId/checkout_sessions/:id/cancel': checkout('checkout_sessions/:id/cancel', {}),
  'GET /acp/:appId/orders/:id': checkout('orders/:id'),
  'POST /mcp': (own, ids) =>
    inputsOf('mcp', ids).flatMap(({ name, input }) => {
      const call = { name, arguments: input }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
      return [own.developerKey, own.accessToken].map((key) => ({
        path: '/mcp',
        init: bearer(key, body),
      }))
    }),
  'POST /mcp/:end{$}': 'the same as POST /mcp',
  'GET /api/dashboard/me': ownOnly,
  'POST /api/dashboard/confirmation/begin': ownOnly,
  'POST /api/dashboard/confirmation': ownOnly,
  'GET /api/dashboard/audit-log': (own, ids) => [
    {
      path: `/api/dashboard/audit-log?format=csv&workspace_id=${ids.workspaceId}`,
      init: page(own),
    },
  ],
  'GET /api/dashboard/sources/:sourceId/file': (own, ids) => [
    { path: `/api/dashboard/sources/${ids.sourceId}/file`, init: page(own) },
  ],
  'GET /api/dashboard/sources/:sourceId/pdf': (own, ids) => [
    { path: `/api/dashboard/sources/${ids.sourceId}/pdf`, init: page(own) },
  ],
  'GET /api/dashboard/agents/:appId/conversations': (own, ids) =>
    [ids.appId, ids.appNameId].map((id) => ({
      path: `/api/dashboard/agents/${id}/conversations?format=csv`,
      init: page(own),
    })),
  'POST /api/dashboard/operations/:name': (own, ids) =>
    inputsOf('dashboard', ids).map(({ name, input }) => ({
      path: `/api/dashboard/operations/${name}`,
      init: page(own, input),
    })),
  'POST /api/dashboard/agents/:appId/chat': (own, ids) =>
    [ids.appId, ids.appNameId].map((id) => ({
      path: `/api/dashboard/agents/${id}/chat`,
      init: page(own, { message: 'hello' }),
    })),
  'POST /api/dashboard/agents/:appId/files': (own, ids) => [
    {
      path: `/api/dashboard/agents/${ids.appId}/files?filename=a.txt`,
      init: asPage(own, {
        method: 'POST',
        body: 'text',
        headers: { 'content-type': 'text/plain' },
      }),
    },
  ],
  'POST /account/sessions/end': (own, ids) => [
    { path: '/account/sessions/end', init: form(own, { id: ids.signInId }) },
  ],
  'POST /account/connected-apps/revoke': (own, ids) => [
    { path: '/account/connected-apps/revoke', init: form(own, { id: ids.grantId }) },
  ],
  'POST /account/second-factor/remove': (own, ids) => [
    { path: '/account/second-factor/remove', init: form(own, { id: ids.factorId }) },
  ],
  'POST /account/second-factor/recovery-codes': ownOnly,
  'GET /account/second-factor': ownOnly,
  'GET /account/second-factor/app': ownOnly,
  'POST /account/second-factor/app': ownOnly,
  'GET /account/second-factor/passkey': ownOnly,
  'POST /account/second-factor/passkey': ownOnly,
  'GET /account/confirm': ownOnly,
  'POST /account/confirm': ownOnly,
  'GET /login/second-factor': publicOrSecret,
  'POST /login/second-factor': publicOrSecret,
  'GET /account/passkey.js': asset,
  'GET /account/copy.js': asset,
  'GET /account': ownOnly,
  'POST /account/name': ownOnly,
  'POST /account/password': ownOnly,
  'POST /account/sessions/end-others': ownOnly,
  'POST /sign-out': ownOnly,
  'GET /signed-out': asset,
  'GET /login': publicOrSecret,
  'POST /login': publicOrSecret,
  'GET /login/oidc': publicOrSecret,
  'GET /login/oidc/callback': publicOrSecret,
  'POST /login/oidc/back-channel-logout': 'signed by the provider',
  'GET /setup': publicOrSecret,
  'POST /setup': publicOrSecret,
  'GET /invitations/:token': publicOrSecret,
  'POST /invitations/:token': publicOrSecret,
  'POST /invitations/:token/mail': publicOrSecret,
  'GET /account/email': ownOnly,
  'POST /account/email': ownOnly,
  'GET /account/email/confirm': publicOrSecret,
  'POST /account/email/confirm': publicOrSecret,
  'GET /account/email/undo': publicOrSecret,
  'POST /account/email/undo': publicOrSecret,
  'GET /account/style.css': asset,
  'GET /account/inter.woff2': asset,
  'GET /account/times.js': asset,
  'GET /account/icon.svg': asset,
  'GET /.well-known/oauth-authorization-server': asset,
  'GET /.well-known/oauth-protected-resource': asset,
  'GET /.well-known/oauth-protected-resource/mcp': asset,
  'GET /mcp/oauth/authorize': publicOrSecret,
  'GET /mcp/oauth/consent': publicOrSecret,
  'POST /mcp/oauth/consent': 'for the workspace in its form: see consent-attacks.test.ts',
  'POST /mcp/oauth/register': publicOrSecret,
  'POST /mcp/oauth/revoke': publicOrSecret,
  'POST /mcp/oauth/token': publicOrSecret,
  'GET /authorize': 'the same as GET /mcp/oauth/authorize',
  'POST /register': 'the same as POST /mcp/oauth/register',
  'POST /token': 'the same as POST /mcp/oauth/token',
  'OPTIONS /mcp': asset,
  'OPTIONS /mcp/:end{$}': asset,
  'POST /hooks/billing/:provider': 'signed by the provider',
  'POST /hooks/payments/:provider': 'signed by the provider',
  'GET /healthz': asset,
  'GET /readyz': asset,
  'GET /docs': asset,
  'GET /docs/search': asset,
  'GET /docs/contents.json': asset,
  'GET /docs/style.css': asset,
  'GET /docs/images/:name': asset,
  'GET /docs/:name': asset,
  'GET /': asset,
  'GET /home': asset,
  'GET /home/start': asset,
  'GET /service-worker.js': asset,
  'GET /agents': asset,
  'GET /agents/*': asset,
  'GET /settings': asset,
  'GET /settings/*': asset,
  'GET /assets/:name': asset,
}

/**
 * The checkout has the same paths with a version and without the agent; the requests above cover
 * all of them.
 */
export function routeOf(method: string, path: string): string {
  const one = path
    .replace(/^\/acp\/(:appId\/)?(v1\/)?(?=checkout_sessions|orders)/, '/acp/:appId/')
    .replace(/\/+$/, '')
  return `${method} ${one === '' ? '/' : one}`
}
