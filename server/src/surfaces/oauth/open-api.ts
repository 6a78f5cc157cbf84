import { z } from 'zod'
import { clientRegistration } from '#features/grants/index.ts'
import { allScopes } from '#kernel/scope.ts'
import {
  answer,
  json,
  openApiDocument,
  page,
  parameter,
  schemaOf,
  type Endpoint,
  type Json,
} from '#surfaces/http/open-api.ts'
import { oauthRefusals } from './oauth-faults.ts'

const repeated = z.union([z.string(), z.array(z.string())]).optional()

/** RFC 6749 §4.1.3 and §6; as a form or as JSON. */
const tokenBody = z.union([
  z.object({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    client_id: z.string(),
    code_verifier: z.string(),
    resource: repeated,
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string(),
    client_id: z.string(),
    scope: z.string().optional(),
    resource: repeated,
  }),
])

const tokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  scope: z.string(),
})

/** RFC 7009 §2.1 */
const revokeBody = z.object({
  token: z.string(),
  token_type_hint: z.string().optional(),
  client_id: z.string().optional(),
})

/** RFC 7591 §3.2.1 */
const registered = clientRegistration.omit({ application_type: true }).extend({
  client_id: z.string(),
  client_id_issued_at: z.int(),
  client_name: z.string(),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
})

const scopes = z.array(z.enum(allScopes))

/** RFC 8414 §2 */
const serverMetadata = z.looseObject({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  registration_endpoint: z.url(),
  revocation_endpoint: z.url(),
  scopes_supported: scopes,
  response_types_supported: z.array(z.literal('code')),
  code_challenge_methods_supported: z.array(z.literal('S256')),
})

/** RFC 9728 §2 */
const resourceMetadata = z.looseObject({
  resource: z.url(),
  authorization_servers: z.array(z.url()),
  scopes_supported: scopes,
})

const error = schemaOf(z.object({ error: z.string(), error_description: z.string() }), 'output')
const query = (name: string, about: string, schema?: Json) =>
  parameter('query', name, about, schema)

function body(schema: z.ZodType): Json {
  const written = schemaOf(schema, 'input')
  return { ...json(written), 'application/x-www-form-urlencoded': { schema: written } }
}

const posted = [400, 401, 405, 413, 415, 429, 500, 503]

const post = (path: string, rest: Omit<Endpoint, 'method' | 'path' | 'refusals'>): Endpoint => ({
  method: 'post',
  path,
  refusals: posted,
  ...rest,
})

const authorizeEndpoint: Omit<Endpoint, 'path' | 'id'> = {
  method: 'get',
  summary: 'Begin an authorization, in a browser',
  parameters: [
    query('client_id', 'svc_mcp_cli, or the id of a registered client'),
    query(
      'redirect_uri',
      'A registered address of the client; loopback addresses match on any port',
    ),
    query('response_type', 'code', { const: 'code' }),
    query('scope', 'Scopes separated by spaces, or *'),
    query('state', 'Returned unchanged'),
    query('code_challenge', 'RFC 7636 §4.2'),
    query('code_challenge_method', 'S256', { const: 'S256' }),
    query('resource', 'RFC 8707: this service, or its /mcp'),
  ],
  answers: {
    303: { description: 'To the consent page, or back to a client on this computer with an error' },
    400: page('A page that explains the error; for a web client, with a link back to it'),
    429: page('A page: too many requests from this address'),
  },
  refusals: [],
}

const endpoints: readonly Endpoint[] = [
  { ...authorizeEndpoint, path: '/mcp/oauth/authorize', id: 'authorize' },
  { ...authorizeEndpoint, path: '/authorize', id: 'authorize_at_root' },
  {
    method: 'get',
    path: '/mcp/oauth/consent',
    id: 'show_consent',
    summary: 'Show what a client requests, and for which account',
    parameters: [query('request', 'The handle that authorize returned')],
    answers: {
      200: page('The consent page'),
      303: { description: 'To the sign-in page' },
      404: page('No such request in this browser'),
      410: page('The request has expired after five minutes'),
    },
    refusals: [],
  },
  {
    method: 'post',
    path: '/mcp/oauth/consent',
    id: 'decide_consent',
    summary: 'Authorize or Deny: the form of the consent page',
    answers: {
      303: { description: 'Back to the client, with a code or access_denied' },
      403: page('The form is from another browser or session, or too old'),
      410: page('The request has expired after five minutes'),
    },
    refusals: [],
  },
  ...['/mcp/oauth/token', '/token'].map((path, index) =>
    post(path, {
      id: index === 0 ? 'token' : 'token_at_root',
      summary: 'Exchange a code, or refresh tokens',
      body: body(tokenBody),
      answers: { 200: answer('A pair of tokens', tokenAnswer) },
    }),
  ),
  ...['/mcp/oauth/register', '/register'].map((path, index) =>
    post(path, {
      id: index === 0 ? 'register' : 'register_at_root',
      summary: 'Register a client',
      body: body(clientRegistration),
      answers: { 201: answer('The client', registered) },
    }),
  ),
  post('/mcp/oauth/revoke', {
    id: 'revoke',
    summary: 'Revoke a token, whatever its state',
    body: body(revokeBody),
    answers: { 200: answer('The token is no longer valid', z.strictObject({})) },
  }),
  {
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    id: 'authorization_server_metadata',
    summary: 'RFC 8414',
    answers: { 200: answer('The authorization server', serverMetadata) },
    refusals: [405, 500],
  },
  ...['', '/mcp'].map((suffix, index): Endpoint => ({
    method: 'get',
    path: `/.well-known/oauth-protected-resource${suffix}`,
    id: index === 0 ? 'protected_resource_metadata' : 'protected_resource_metadata_of_mcp',
    summary: 'RFC 9728',
    answers: { 200: answer('The MCP server as a resource', resourceMetadata) },
    refusals: [405, 500],
  })),
]

/** The authorization server as OpenAPI. */
export function oauthOpenApi(): Json {
  return openApiDocument({
    title: 'Parley authorization server',
    about:
      'For clients of the MCP server. Errors are those of RFC 6749 §5.2. Under a base path, the metadata is served both before and after it.',
    endpoints,
    refusals: oauthRefusals,
    errorBody: () => error,
  })
}
