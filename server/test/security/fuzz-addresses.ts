import fc, { type Arbitrary } from 'fast-check'
import { makePkce } from '#test/support/identity/oauth-flow.ts'
import { authorizeQuery } from '#test/support/identity/sign-in-service.ts'
import { routeOf, routes } from '#test/tenancy/route-requests.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import { pageHeaders, type Entry } from './fuzz-entry.ts'
import {
  headerNames,
  headerValues,
  hostileParts,
  hostileValues,
  unstorable,
  plausible,
  queries,
} from './hostile-addresses.ts'
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

const encoded = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => {
  return encodeURIComponent(text.toWellFormed())
})

/** A part like one that the route knows: of another case, longer, shorter, or another one. */
function partLike(known: string): Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...hostileParts), weight: 3 },
    { arbitrary: fc.constantFrom(...unstorable, `${known}%00`), weight: 3 },
    encoded,
    fc.uuid(),
    fc.constantFrom(known.toUpperCase(), `${known}%20`, known.slice(1), ''),
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
  const others = fc.constantFrom('__proto__', 'constructor', '', 'a[b]', 'x')
  const names =
    read.length === 0
      ? others
      : fc.oneof({ arbitrary: fc.constantFrom(...read), weight: 6 }, others)
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
  const pair = fc.tuple(fc.constantFrom(...headerNames), fc.constantFrom(...headerValues))
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
    ':name': route.includes('images') ? 'build-light.png' : 'sessions',
    ':token': 'x'.repeat(43),
    ':provider': 'stripe',
    ':end{$}': '',
    '*': tenant.appId,
  }
  const path = route.split('/').map((part) => values[part] ?? part)
  return `${path.join('/')}${ownQueries[route] ?? ''}`
}

const authorize = `?${authorizeQuery(makePkce())}`

/** What the tests of forms have prepared, and a request of an application. */
const ownQueries: Readonly<Record<string, string>> = {
  '/setup': '?token=fuzz',
  '/account/email/undo': '?token=fuzz',
  '/account/email/confirm': '?token=fuzz-change',
  '/mcp/oauth/authorize': authorize,
  '/authorize': authorize,
  '/docs/search': '?q=session',
  '/chat-domains/ask': '?domain=chat.shop.example',
}

function headersOf(route: string, tenant: Tenant, visited: Visited): Headers {
  if (route.startsWith('/api/v1')) return { authorization: `Bearer ${tenant.chatKey}` }
  if (route.startsWith('/acp')) return { authorization: `Bearer ${tenant.acpKey}` }
  if (route.startsWith('/mcp/:')) return { authorization: `Bearer ${tenant.developerKey}` }
  if (route.startsWith('/chat/widget')) return { origin: visited.origin }
  if (!route.startsWith('/chat/')) return pageHeaders(tenant)
  return { authorization: `Bearer ${visited.token}`, origin: 'null' }
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
const atDomain = `
  / /app /app.webmanifest /icon.svg /icon-180.png /inter.woff2 /chat/:app/conversations
  /chat/:app/conversations/:id /chat-assets/:name /:name
`
  .trim()
  .split(/\s+/)

/** What answers 503 without the dashboard's build, or without the loop that asks the database. */
const maybeUnready = /^\/(?:$|home|agents|settings|assets|chat|app|readyz)/

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
    needsOthers: maybeUnready.test(example.route) || example.at !== undefined,
    ...(example.at === undefined ? {} : { at: example.at }),
  }))
}
