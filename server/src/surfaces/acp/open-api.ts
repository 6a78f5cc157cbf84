import { z } from 'zod'
import { buyer, fulfillmentDetails } from '#features/pricing/index.ts'
import {
  answer,
  bearerScheme,
  json,
  openApiDocument,
  page,
  parameter,
  schemaOf,
  text,
  type Endpoint,
  type Json,
} from '#surfaces/http/open-api.ts'
import {
  card,
  discovery,
  feed,
  limited,
  order,
  plainError,
  products,
  protocolError,
  session,
} from './answer-shapes.ts'
import { supportedVersions } from './dialect.ts'
import { acpRefusals } from './fault-table.ts'
import { feedQuery, productQuery } from './product-endpoints.ts'
import { checkoutBodies } from './read-checkout.ts'
import { completeBody } from './read-complete.ts'

/** The interface fixes three bodies in both dialects. */
function errorBody(status: number): Json {
  if (status === 429) return schemaOf(limited, 'output')
  if (status === 401 || status === 403) return schemaOf(plainError, 'output')
  return schemaOf(z.union([plainError, protocolError]), 'output')
}

const inPath = (name: string, about: string) => parameter('path', name, about)
const agent = inPath('appId', 'The UUID or the app_name_id of the agent')
const sessionId = inPath('id', 'The id of the checkout session')
const dialect = [
  parameter('header', 'API-Version', 'With it, the protocol applies; without it, the interface', {
    ...text,
    enum: supportedVersions,
  }),
  parameter('header', 'Request-Id', 'Repeated in the answer'),
]
const idempotency = parameter('header', 'Idempotency-Key', 'Required with API-Version', {
  ...text,
  minLength: 1,
  maxLength: 255,
})

const { create, update, cancel } = checkoutBodies

/** Repeated schemas by name. `Plain` is for requests without API-Version. */
const schemas = {
  CreatePlain: schemaOf(create.plain, 'input'),
  CreateStrict: schemaOf(create.strict, 'input'),
  UpdatePlain: schemaOf(update.plain, 'input'),
  UpdateStrict: schemaOf(update.strict, 'input'),
  Complete: schemaOf(completeBody, 'input'),
  Cancel: schemaOf(cancel, 'input'),
  Buyer: schemaOf(buyer, 'input'),
  FulfillmentDetails: schemaOf(fulfillmentDetails, 'input'),
  CheckoutSession: schemaOf(session, 'output'),
  Order: schemaOf(order, 'output'),
  PlainError: schemaOf(plainError, 'output'),
  ProtocolError: schemaOf(protocolError, 'output'),
} as const

const readRefusals = [400, 401, 403, 404, 405, 429, 500, 503]
const changeRefusals = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503]
const sessionAnswer = answer('The session', session)

/** The same endpoints exist with the agent in the path and without it, where the key names the agent. */
interface Place {
  readonly path: string
  readonly suffix: string
  readonly own: readonly Json[]
}

const places: readonly Place[] = [
  { path: '/acp/{appId}', suffix: '', own: [agent] },
  { path: '/acp', suffix: '_by_key', own: [] },
]

function readEndpoints({ path, suffix, own }: Place): readonly Endpoint[] {
  const common = { method: 'get', refusals: readRefusals } as const
  return [
    {
      ...common,
      path: `${path}/checkout_sessions/{id}`,
      id: `get_session${suffix}`,
      summary: 'Read a checkout session',
      parameters: [...own, sessionId, ...dialect],
      answers: { 200: sessionAnswer },
    },
    {
      ...common,
      path: `${path}/orders/{id}`,
      id: `get_order${suffix}`,
      summary: 'Read an order of the agent',
      parameters: [...own, inPath('id', 'The id of the order'), ...dialect],
      answers: { 200: answer('The order', order) },
    },
  ]
}

const changes = {
  create: {
    path: '',
    summary: 'Create a checkout session',
    body: json({ anyOf: [schemas.CreatePlain, schemas.CreateStrict] }),
  },
  update: {
    path: '/{id}',
    summary: 'Change a checkout session',
    body: json({ anyOf: [schemas.UpdatePlain, schemas.UpdateStrict] }),
  },
  complete: {
    path: '/{id}/complete',
    summary: 'Pay for a checkout session',
    body: json(schemas.Complete),
  },
  cancel: {
    path: '/{id}/cancel',
    summary: 'Cancel a checkout session',
    body: json(schemas.Cancel),
    isBodyOptional: true,
  },
}

function changeEndpoints({ path, suffix, own }: Place): readonly Endpoint[] {
  return Object.entries(changes).map(([name, change]): Endpoint => {
    const named = change.path === '' ? [] : [sessionId]
    return {
      ...change,
      method: 'post',
      path: `${path}/checkout_sessions${change.path}`,
      id: `${name}_session${suffix}`,
      parameters: [...own, ...named, ...dialect, idempotency],
      answers: { [name === 'create' ? 201 : 200]: sessionAnswer },
      refusals: changeRefusals,
    }
  })
}

function publicEndpoint(
  path: string,
  id: string,
  summary: string,
  answers: Endpoint['answers'],
  parameters: readonly Json[] = [],
): Endpoint {
  const own = path.includes('{appId}') ? [agent] : []
  return {
    method: 'get',
    path,
    id,
    summary,
    parameters: [...own, ...parameters],
    answers: { ...answers, 304: { description: 'Not changed since the ETag of If-None-Match' } },
    refusals: [400, 404, 405, 429, 500, 503],
    isOpen: true,
  }
}

function queryParameters(schema: z.ZodType): readonly Json[] {
  const { properties } = schemaOf(schema, 'input')
  return Object.entries(Object(properties)).map(([name, one]) =>
    parameter('query', name, `See ${name} in the documentation`, one as Json),
  ) // a schema's properties are schemas
}

const publicEndpoints: readonly Endpoint[] = [
  publicEndpoint('/acp/{appId}/.well-known/agent.json', 'get_agent_card', 'The agent’s card', {
    200: answer('An A2A card with the addresses of its shop', card),
  }),
  publicEndpoint(
    '/acp/{appId}/.well-known/acp.json',
    'get_agent_discovery',
    'The discovery document of an agent',
    {
      200: answer('The protocol’s discovery document of one agent', discovery),
    },
  ),
  publicEndpoint(
    '/acp/{appId}/products',
    'list_products',
    'List the products on sale',
    { 200: answer('A page of products', products) },
    queryParameters(productQuery),
  ),
  publicEndpoint(
    '/acp/{appId}/feed',
    'get_feed',
    'List the products on sale in the protocol’s format',
    { 200: answer('Products; Link leads to further pages', feed) },
    queryParameters(feedQuery),
  ),
  publicEndpoint(
    '/acp/{appId}/receipts/{key}',
    'get_receipt',
    'The page of an order for its buyer',
    { 200: page('A page') },
    [inPath('key', 'The key in the permalink of the order')],
  ),
  publicEndpoint(
    '/acp/returned',
    'get_returned',
    'The page to which a bank returns the buyer',
    { 200: page('A page') },
    [parameter('query', 'payment_intent', 'The provider’s reference of the payment')],
  ),
  publicEndpoint(
    '/.well-known/acp.json',
    'get_discovery',
    'The discovery document of the service',
    {
      200: answer('The protocol’s discovery document; it names no agent', discovery),
    },
  ),
]

/** The agentic commerce surface as OpenAPI. */
export function acpOpenApi(): Json {
  return openApiDocument({
    title: 'Parley agentic commerce API',
    about: `Agentic Commerce Protocol ${supportedVersions.join(', ')}. Checkout and order paths also work with /v1 before their own part. docs/agentic-commerce.md lists the older request formats that are accepted.`,
    endpoints: [
      ...publicEndpoints,
      ...places.flatMap(changeEndpoints),
      ...places.flatMap(readEndpoints),
    ],
    refusals: acpRefusals,
    errorBody,
    schemas,
    securityScheme: bearerScheme('A checkout key: acp_…'),
  })
}
