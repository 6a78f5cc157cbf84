import { issuerOf, resourceOf } from '#features/grants/index.ts'
import { allScopes } from '#kernel/scope.ts'
import type { Config } from '#config'

type Described = Pick<Config, 'baseUrl' | 'oauthClientDocuments'>

/** RFC 8414 §2, RFC 9207 §3, RFC 9728 §4. No address is taken from a Host header. */
export function authorizationServerMetadata(config: Described) {
  const issuer = issuerOf(config)
  return {
    issuer,
    authorization_endpoint: `${issuer}/mcp/oauth/authorize`,
    token_endpoint: `${issuer}/mcp/oauth/token`,
    registration_endpoint: `${issuer}/mcp/oauth/register`,
    revocation_endpoint: `${issuer}/mcp/oauth/revoke`,
    scopes_supported: allScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: config.oauthClientDocuments,
    protected_resources: [resourceOf(config)],
  }
}

/**
 * RFC 9728 §2. Clients that have no scopes of their own request every scope listed here. `*` alone
 * offers the person all scopes, to narrow on the consent page.
 */
export function protectedResourceMetadata(config: Described) {
  return {
    resource: resourceOf(config),
    authorization_servers: [issuerOf(config)],
    scopes_supported: ['*'],
    bearer_methods_supported: ['header'],
    resource_name: 'Parley',
  }
}
