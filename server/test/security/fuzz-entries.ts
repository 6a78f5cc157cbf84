import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc, { type Arbitrary } from 'fast-check'
import { operations } from '#operations/catalogue.ts'
import { inputJsonSchema } from '#operations/json-schema.ts'
import type { Operation } from '#operations/operation.ts'
import { billingWebhookSecret } from '#test/support/servers/stripe-billing-server.ts'
import { webhookSecret } from '#test/support/servers/stripe-server.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import { fromSchema, type Schema } from './from-schema.ts'
import { addressEntries } from './fuzz-addresses.ts'
import { openVisited, visitorEntries } from './fuzz-visitors.ts'
import { formEntries } from './fuzz-forms.ts'
import { pageHeaders, type Entry } from './fuzz-entry.ts'
import { stripeSignature, type FuzzedService } from './fuzzed-service.ts'
import { formPayloads, jsonPayloads, multipartPayloads } from './mutations.ts'

type Known = Readonly<Record<string, string>>

const noRefs = (name: string): Schema => {
  throw new Error(`an operation refers to ${name}`)
}

const knownTo = (tenant: Tenant): Known => ({
  app_id: tenant.appId,
  session_id: tenant.chatSessionId,
  message_id: tenant.messageId,
  product_id: tenant.productId,
  order_id: tenant.orderId,
  workspace_id: tenant.workspaceId,
  chatSessionId: tenant.chatSessionId,
  messageId: tenant.messageId,
  model: tenant.appNameId,
  client_id: 'svc_mcp_cli',
})

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** What an operation that removes something names does not exist: the tenant must survive. */
function inputOf(operation: Operation, known: Known): Arbitrary<unknown> {
  const names = operation.hints.destructive ? {} : known
  return fromSchema(inputJsonSchema(operation), { known: names, referred: noRefs })
}

function operationEntries(tenant: Tenant): readonly Entry[] {
  const known = knownTo(tenant)
  return operations.flatMap((operation) => {
    const input = inputOf(operation, known)
    const { name, surfaces, hints } = operation
    const dashboard: Entry = {
      name: `operation ${name}`,
      route: '/api/dashboard/operations/:name',
      path: `/api/dashboard/operations/${name}`,
      headers: pageHeaders(tenant),
      payloads: jsonPayloads(input),
      needsOthers: hints.openWorld,
    }
    const call = input.map((given) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }))
    const mcp: Entry = {
      name: `tool ${name}`,
      route: '/mcp',
      path: '/mcp',
      headers: { ...bearer(tenant.developerKey), accept: 'application/json, text/event-stream' },
      payloads: jsonPayloads(call),
      needsOthers: hints.openWorld,
    }
    return [
      ...(surfaces.includes('dashboard') ? [dashboard] : []),
      ...(surfaces.includes('mcp') ? [mcp] : []),
    ]
  })
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, { readonly post?: { readonly requestBody?: { readonly content: Content } } }>
  >
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>

const contracts = join(import.meta.dirname, '../../../contracts')

/** The entries of an OpenAPI document, as JSON and, where it is offered, as a form. */
function contractEntries(
  file: string,
  tenant: Tenant,
  headersOf: (path: string) => Readonly<Record<string, string>>,
): readonly Entry[] {
  const document = JSON.parse(readFileSync(join(contracts, file), 'utf8')) as OpenApi // It is generated.
  const referred = (name: string) => document.components?.schemas?.[name] ?? {}
  return Object.entries(document.paths).flatMap(([path, { post }]) =>
    Object.entries(post?.requestBody?.content ?? {}).map(([type, { schema }]) => {
      const valid = fromSchema(schema, { known: knownTo(tenant), referred })
      const isForm = type === 'application/x-www-form-urlencoded'
      return {
        name: `${path} as ${isForm ? 'a form' : 'JSON'}`,
        route: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        path: path.replace('{appId}', tenant.appId).replace('{id}', tenant.checkoutId),
        headers: headersOf(path),
        payloads: isForm
          ? formPayloads(valid as Arbitrary<Record<string, unknown>>) // Forms are objects.
          : jsonPayloads(valid),
      }
    }),
  )
}

const json = fc.jsonValue({ maxDepth: 3 })

function otherJsonEntries(tenant: Tenant): readonly Entry[] {
  const rpc = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom(
      'initialize',
      'ping',
      'tools/list',
      'tools/call',
      'resources/list',
      'x',
    ),
    params: fc.oneof(fc.constant({}), json),
  })
  const message = fc.record({ message: fc.string(), session_id: fc.string() })
  return [
    {
      name: 'MCP messages',
      route: '/mcp',
      path: '/mcp',
      headers: { ...bearer(tenant.developerKey), accept: 'application/json, text/event-stream' },
      payloads: jsonPayloads(fc.oneof(rpc, fc.array(rpc, { maxLength: 3 }))),
    },
    ...['confirmation', 'confirmation/begin'].map((path) => ({
      name: `the dashboard’s ${path}`,
      route: `/api/dashboard/${path}`,
      path: `/api/dashboard/${path}`,
      headers: pageHeaders(tenant),
      payloads: jsonPayloads(fc.record({ password: fc.string(), code: fc.string(), answer: json })),
    })),
    {
      name: 'the dashboard’s test chat',
      route: '/api/dashboard/agents/:appId/chat',
      path: `/api/dashboard/agents/${tenant.appId}/chat`,
      headers: pageHeaders(tenant),
      payloads: jsonPayloads(message),
    },
    {
      name: 'the dashboard’s uploads',
      route: '/api/dashboard/agents/:appId/files',
      path: `/api/dashboard/agents/${tenant.appId}/files?filename=a.csv`,
      headers: pageHeaders(tenant),
      payloads: jsonPayloads(json),
    },
    {
      name: 'the cancellation of a response',
      route: '/api/v1/responses/:id/cancel',
      path: '/api/v1/responses/resp_unknown/cancel',
      headers: bearer(tenant.chatKey),
      payloads: jsonPayloads(json),
    },
    {
      name: 'uploads of files',
      route: '/api/v1/files',
      path: '/api/v1/files',
      headers: bearer(tenant.chatKey),
      payloads: multipartPayloads,
    },
    ...stripeEntries(),
  ]
}

/** What Stripe may send about an object that it names by an id. */
const stripeEvent = fc.record({
  id: fc.string({ minLength: 1, maxLength: 20 }),
  object: fc.constant('event'),
  type: fc.constantFrom(
    'payment_intent.succeeded',
    'refund.updated',
    'charge.refund.updated',
    'checkout.session.completed',
    'customer.subscription.updated',
    'invoice.paid',
    'charge.refunded',
    'refund.failed',
    'unknown',
  ),
  data: fc.record({
    object: fc.record({
      id: fc.oneof(fc.constantFrom('pi_1', '../x', 'a/b?c'), fc.string({ maxLength: 300 })),
      charge: fc.oneof(fc.string(), fc.record({ id: fc.string() }), fc.constant(null)),
      parent: fc.record({ subscription_details: fc.record({ subscription: json }) }),
    }),
  }),
})

/** Signed, so that the event is read; and with a signature of another secret. */
function stripeEntries(): readonly Entry[] {
  const secrets = { payments: webhookSecret, billing: billingWebhookSecret }
  return Object.entries(secrets).flatMap(([name, secret]) =>
    [secret, 'whsec_of_others'].map((used) => ({
      name: `hook ${name}${used === secret ? '' : ' of others'}`,
      route: `/hooks/${name}/:provider`,
      path: `/hooks/${name}/stripe`,
      headers: {},
      sign: (body) => ({ 'stripe-signature': stripeSignature(body, used) }),
      payloads: jsonPayloads(stripeEvent),
    })),
  )
}

/** Every place of the service that reads a body from a caller. */
export async function fuzzEntries(
  fuzzed: FuzzedService,
  tenant: Tenant,
): Promise<readonly Entry[]> {
  const visited = await openVisited(fuzzed, tenant)
  return [
    ...operationEntries(tenant),
    ...contractEntries('chat.openapi.json', tenant, () => bearer(tenant.chatKey)),
    ...contractEntries('acp.openapi.json', tenant, () => bearer(tenant.acpKey)),
    ...contractEntries('oauth.openapi.json', tenant, () => ({})),
    ...otherJsonEntries(tenant),
    ...visitorEntries(fuzzed, visited),
    ...(await formEntries(fuzzed, tenant)),
    ...addressEntries(fuzzed, tenant, visited),
  ]
}
