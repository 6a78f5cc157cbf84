import fc, { type Arbitrary } from 'fast-check'
import { routeOf, routes } from '#test/tenancy/route-requests.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import { pageHeaders, type Entry } from './fuzz-entry.ts'
import type { FuzzedService } from './fuzzed-service.ts'
import type { Visited } from './fuzz-visitors.ts'
import type { Payload } from './mutations.ts'

type Headers = Readonly<Record<string, string>>

/** A request that its route answers. */
interface Example {
  readonly method: string
  /** The path as the app registers it. */
  readonly route: string
  readonly path: string
  readonly headers: Headers
  readonly body: string | null
  readonly at?: string
}

/** Parts of a path that break code which decodes, splits or trusts them. */
const hostileParts = [
  '%00',
  'a%00b',
  '%ff%fe',
  '%ed%a0%80',
  '%',
  '%zz',
  '..%2f..%2f..%2fetc%2fpasswd',
  '..%5c..%5cwindows',
  '%252e%252e',
  '%E2%80%AE',
  '%F0%9F%92%A5'.repeat(300),
  'x'.repeat(7_000),
  '%20',
  '%0d%0aset-cookie:a=b',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '-1',
  '1e308',
  '9999999999999999999999',
  'null',
  '%27%20or%201=1%20--',
  '%3Cscript%3E',
  '*',
  ':id',
  ';a=b',
]

const hostileValues = [...hostileParts, '', '+', '=', '&&', '[]', '{}', '%5B%22a%22%5D', 'true']

/** What a route reads of its query. Every route also gets names that none reads. */
const queries: Readonly<Record<string, readonly string[]>> = {
  'GET /api/v1/responses/:id': ['stream', 'starting_after', 'include[]'],
  'GET /api/v1/responses/:id/input_items': ['limit', 'order', 'after', 'before'],
  'GET /api/v1/conversations/:id/items': ['limit', 'order', 'after', 'include'],
  'GET /api/v1/files': ['limit', 'order', 'after', 'purpose'],
  'GET /acp/:appId/products': ['q', 'cursor', 'limit', 'category'],
  'GET /acp/:appId/feed': ['q', 'cursor', 'limit'],
  'GET /acp/returned': ['payment_intent', 'payment_intent_client_secret', 'redirect_status'],
  'GET /api/dashboard/audit-log': ['format', 'from', 'to', 'workspace_id', 'actor', 'action'],
  'GET /api/dashboard/agents/:appId/conversations': ['format', 'from', 'to', 'app_id'],
  'POST /api/dashboard/agents/:appId/files': ['filename', 'title', 'app_id', 'media_type'],
  'POST /mcp': ['toolsets', 'read_only'],
  'GET /mcp/oauth/authorize': [
    'client_id',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
    'resource',
    'prompt',
  ],
  'GET /mcp/oauth/consent': ['request'],
  'GET /chat/:app': ['k', 'preview', 'app', 'draft'],
  'GET /chat/:app/conversations/:id': ['cursor'],
  'GET /chat/widget/:key': ['editor'],
  'GET /chat/widget/:key/frame': ['editor'],
  'GET /chat-domains/ask': ['domain'],
  'GET /login': ['return_to', 'error'],
  'GET /login/oidc': ['return_to', 'again'],
  'GET /login/oidc/callback': ['code', 'state', 'iss', 'error', 'error_description'],
  'GET /login/second-factor': ['return_to'],
  'GET /setup': ['token', 'invitation'],
  'GET /invitations/:token': ['proof'],
  'GET /account': ['changed'],
  'GET /account/confirm': ['return_to'],
  'GET /account/second-factor': ['return_to'],
  'GET /account/second-factor/app': ['return_to'],
  'GET /account/second-factor/passkey': ['return_to'],
  'GET /account/email/confirm': ['token'],
  'GET /account/email/undo': ['token'],
  'GET /docs/search': ['q'],
}

const plausible = [
  ...['0', '1', '100', 'asc', 'desc', 'true', 'false', 'csv', 'jsonl', '2026-01-01', 'S256'],
  ...['2026-02-30T99:99:99Z', '0001-01-01', '/home', '//evil.example', '/%5cevil.example'],
  ...['https://evil.example/', 'javascript:alert(1)', 'svc_mcp_cli', 'code', 'a.csv', 'apps'],
  ...['http://localhost:4567/callback', 'localhost', 'a'.repeat(300), 'xn--a', 'eyJ9', 'bnVsbA'],
]

const words = [
  ...hostileParts.map((part) => part.slice(0, 2_000)),
  'en-GB,de;q=0.9,*;q=0.5',
  'en;q=0.9,'.repeat(800),
  'bytes=0-1,2-3,-1',
  'bytes=9999999999999999999-',
  'W/"x", "y", *',
  '"'.repeat(2_000),
  'null',
  'https://evil.example',
  '127.0.0.1, ::1, ::ffff:10.0.0.1, x',
  '\u00ff\u0080',
  'Thu, 99 Foo 2026 99:99:99 GMT',
]

/** Headers that some route or what stands before all routes reads. */
const headerNames = [
  ...['accept', 'accept-language', 'accept-encoding', 'if-none-match', 'if-modified-since'],
  ...['range', 'origin', 'referer', 'user-agent', 'last-event-id', 'x-correlation-id'],
  ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded', 'x-request-id'],
  ...['sec-fetch-site', 'sec-fetch-mode', 'mcp-session-id', 'mcp-protocol-version', 'api-version'],
  ...['x-mcp-toolsets', 'x-mcp-readonly', 'idempotency-key', 'authorization', 'cookie'],
]

const encoded = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => {
  return encodeURIComponent(text.toWellFormed())
})

/** A part like one that the route knows: of another case, longer, shorter, or another one. */
function partLike(known: string): Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...hostileParts), weight: 3 },
    encoded,
    fc.uuid(),
    fc.constantFrom(known.toUpperCase(), `${known}%00`, `${known}%20`, known.slice(1), ''),
    fc.constantFrom(`resp_${'a'.repeat(32)}`, `conv_${'g'.repeat(32)}`, `file-${'0'.repeat(31)}`),
  )
}

/** The path with its own ids, or with one or more of them replaced. */
function pathsLike({ route, path }: Example): Arbitrary<string> {
  const literal = new Set(route.split('/'))
  const [bare = ''] = path.split('?')
  const parts = bare.split('/').map((part) => {
    if (literal.has(part)) return fc.constant(part)
    return fc.oneof({ arbitrary: fc.constant(part), weight: 2 }, partLike(part))
  })
  return fc.tuple(...parts).map((chosen) => chosen.join('/'))
}

function queriesLike({ method, route, path }: Example): Arbitrary<string> {
  const [, own = ''] = path.split('?')
  const read = queries[routeOf(method, route)] ?? []
  const names = fc.constantFrom(...read, ...read, '__proto__', 'constructor', '', 'a[b]', 'x')
  const values = fc.oneof(fc.constantFrom(...hostileValues), fc.constantFrom(...plausible), encoded)
  const pairs = fc.array(fc.tuple(names, values), { maxLength: 5 })
  const generated = pairs.map((all) => all.map(([name, value]) => `${name}=${value}`).join('&'))
  const kept = fc.oneof(fc.constant(own), fc.constant(''))
  const many = Array.from({ length: 1_500 }, (_, n) => `a${n}=1`).join('&')
  return fc.oneof(
    {
      arbitrary: fc.tuple(kept, generated).map((both) => both.filter((one) => one).join('&')),
      weight: 8,
    },
    fc.constantFrom(many, '?'.repeat(50), '#', '%', '='.repeat(2_000), '&'.repeat(5_000)),
  )
}

function headersLike(): Arbitrary<Headers> {
  const pair = fc.tuple(fc.constantFrom(...headerNames), fc.constantFrom(...words))
  const some = fc.array(pair, { minLength: 1, maxLength: 3 })
  const none: Headers = {}
  return fc.oneof(
    { arbitrary: fc.constant(none), weight: 3 },
    some.map((pairs): Headers => Object.fromEntries(pairs)),
  )
}

/** Reading never removes anything; what removes names what does not exist. */
function payloadsLike(example: Example): Arbitrary<Payload> {
  const { method, body } = example
  const isRead = method === 'GET'
  const others = ['HEAD', 'OPTIONS', 'PUT', 'PATCH'] as const
  const methods = isRead
    ? fc.oneof({ arbitrary: fc.constant(method), weight: 8 }, fc.constantFrom(...others))
    : fc.constant(method)
  return fc
    .tuple(methods, pathsLike(example), queriesLike(example), headersLike())
    .filter(([used, path]) => used !== 'DELETE' || path !== example.path)
    .map(([used, path, query, headers]) => ({
      body: body ?? '',
      type: body === null ? null : 'application/json',
      encoding: null,
      method: used,
      path: query === '' ? path : `${path}?${query}`,
      headers,
    }))
}

/** Ids for the routes that take none of a tenant's records. */
function filled(route: string, tenant: Tenant, visited: Visited): string {
  const values: Readonly<Record<string, string>> = {
    ':app': visited.appNameId,
    ':key': visited.widgetKey,
    ':appId': tenant.appId,
    ':id': tenant.chatSessionId,
    ':name': route.includes('images') ? 'home.png' : 'sessions',
    ':token': 'x'.repeat(43),
    ':provider': 'stripe',
    ':end{$}': '',
    '*': tenant.appId,
  }
  return route
    .split('/')
    .map((part) => values[part] ?? part)
    .join('/')
}

function headersOf(route: string, tenant: Tenant, visited: Visited): Headers {
  if (route.startsWith('/api/v1')) return { authorization: `Bearer ${tenant.chatKey}` }
  if (route.startsWith('/acp')) return { authorization: `Bearer ${tenant.acpKey}` }
  if (!route.startsWith('/chat/')) return pageHeaders(tenant)
  return { authorization: `Bearer ${visited.token}`, origin: visited.origin }
}

function examplesOf(
  method: string,
  route: string,
  { tenant, visited }: { readonly tenant: Tenant; readonly visited: Visited },
): readonly Example[] {
  const known = routes[routeOf(method, route)]
  if (typeof known === 'function')
    return known(tenant, tenant)
      .slice(0, 3)
      .map(({ path, init }) => ({
        method,
        route,
        path,
        headers: Object(init?.headers ?? {}) as Headers, // The tests write plain objects.
        body: typeof init?.body === 'string' ? init.body : null,
      }))
  const path = filled(route, tenant, visited)
  const body = method === 'POST' ? '{}' : null
  return [{ method, route, path, headers: headersOf(route, tenant, visited), body }]
}

/** What a page serves at its own domain. */
const atDomain = [
  ...['/', '/app', '/app.webmanifest', '/icon.svg', '/icon-180.png', '/inter.woff2'],
  ...['/chat/:app/conversations', '/chat/:app/conversations/:id', '/chat-assets/:name', '/:name'],
]

/** Without the dashboard's build, its pages answer 503. */
const built = /^\/(?:$|home|agents|settings|assets|chat|app)/

/** Every route, by its address and headers alone. Routes that read a body have entries of their own, too. */
export function addressEntries(
  { service }: Pick<FuzzedService, 'service'>,
  tenant: Tenant,
  visited: Visited,
): readonly Entry[] {
  const served = service.app.routes.filter(({ method }) => method !== 'ALL')
  const names = new Map(served.map((one) => [`${one.method} ${one.path}`, one]))
  const ofService = [...names.values()]
    // Of the routes that read a body, those whose path has ids.
    .filter(({ method, path }) => method !== 'POST' || path.includes(':'))
    .flatMap(({ method, path }) => examplesOf(method, path, { tenant, visited }))
  const ofDomain = atDomain.flatMap((route) =>
    examplesOf('GET', route, { tenant, visited }).map((one) => ({
      ...one,
      path: filled(route, tenant, visited),
      headers: headersOf(route, tenant, visited),
      at: `http://${visited.domain}`,
    })),
  )
  return [...ofService, ...ofDomain].map((example) => ({
    name: `address ${example.method} ${example.at ?? ''}${example.path.split('?')[0]}`,
    route: example.route,
    path: example.path,
    headers: example.headers,
    payloads: payloadsLike(example),
    needsOthers: built.test(example.route) || example.at !== undefined,
    ...(example.at === undefined ? {} : { at: example.at }),
  }))
}
