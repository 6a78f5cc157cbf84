/** The sentences of the interface about the MCP server, its OAuth, tokens, keys and scopes. */
export const mcpRequirements = {
  // What the service does
  'mcp.purpose.agents': 'MCP clients manage agents.',
  'mcp.purpose.knowledge': 'MCP clients manage knowledge sources.',
  'mcp.purpose.actions': 'MCP clients manage custom actions.',
  'mcp.purpose.analytics': 'MCP clients read analytics.',
  'mcp.purpose.workspaces': 'MCP clients manage workspaces.',
  'mcp.purpose.billing': 'MCP clients read billing information.',
  'mcp.messages': 'Messages are JSON-RPC 2.0 over HTTP, as streamable HTTP.',
  'mcp.methods':
    'Clients authenticate by OAuth 2.0, authorization code with PKCE, or by an API key.',

  // Resources: access token, refresh token
  'token.access.prefix': 'An access token begins with svc_at_; the rest is opaque.',
  'token.access.lifetime': 'An access token lives one hour.',
  'token.refresh.prefix': 'A refresh token begins with svc_rt_; the rest is opaque.',
  'token.refresh.lifetime': 'A refresh token lives thirty days.',

  // Resources: API key, tool-protocol server
  'key.prefix': 'An API key is svc_sk_ and an opaque string.',
  'key.name': 'A key has a descriptive name, required when it is made.',
  'key.scopes': 'A key has a subset of the scopes, everything (*) by default.',
  'key.expiration': 'A key expires after 30 days, 90 days, a year or never; never by default.',
  'key.display': 'A key is shown once, stored as a hash alone, and cannot be retrieved later.',

  // Resources: permission scopes
  'scope.apps-read': 'apps:read: view agents.',
  'scope.apps-write': 'apps:write: create, update, delete agents.',
  'scope.knowledge-read': 'knowledge:read: view knowledge sources.',
  'scope.knowledge-write': 'knowledge:write: add, update, delete knowledge sources.',
  'scope.actions-read': 'actions:read: view custom actions.',
  'scope.actions-write': 'actions:write: manage custom actions.',
  'scope.analytics-read': 'analytics:read: view conversation analytics.',
  'scope.workspace-read': 'workspace:read: view workspace information.',
  'scope.workspace-write': 'workspace:write: create and update workspaces.',
  // Credits have no operation before the ledger does.
  'scope.billing-read': 'billing:read: view subscription and credits.',
  'scope.all': '*: all permissions.',
  'scope.shared': 'OAuth tokens and API keys have the same scopes.',

  // States and transitions
  'state.access-expired': 'After an hour an access token is expired; a refresh is needed.',
  'state.refresh-expired':
    'After thirty days a refresh token is expired; the user must authorize again.',
  'state.rotated':
    'A refresh revokes the previous access token and refresh token at once and issues a new pair.',
  'state.revoked': 'A refresh token that is revoked is dead; the client must authorize again.',
  'state.key-deleted': 'A key that is deleted in the Developer settings is dead at once.',
  'state.key-expired': 'A key whose time is reached is rejected as expired.',

  // Endpoints: tool-protocol server
  'mcp.endpoint':
    'POST {base_url}/mcp takes a JSON-RPC 2.0 request: jsonrpc 2.0, id, method, such as tools/list.',
  'mcp.header.content-type': 'The request has Content-Type: application/json.',
  'mcp.header.authorization':
    'The request has Authorization: Bearer, an access token or an API key.',
  'mcp.tools': 'Among the tools are list_apps, create_app and get_app_analytics.',

  // Endpoints: OAuth
  'oauth.authorize': 'GET {base_url}/mcp/oauth/authorize begins authorization.',
  'oauth.token': 'POST {base_url}/mcp/oauth/token exchanges a code, and refreshes tokens.',
  'oauth.register': 'POST {base_url}/mcp/oauth/register registers clients.',
  'oauth.revoke': 'POST {base_url}/mcp/oauth/revoke revokes tokens.',
  'oauth.discovery': 'GET {base_url}/.well-known/oauth-authorization-server is for discovery.',
  'oauth.authorize.client-id': 'The public client id of the command-line client is svc_mcp_cli.',
  'oauth.authorize.redirect-uri':
    'redirect_uri is a loopback callback, http://localhost:<port>/callback.',
  'oauth.authorize.response-type': 'response_type is code.',
  'oauth.authorize.scope': 'scope is a string, such as *.',
  'oauth.authorize.state': 'state is a random string that comes back.',
  'oauth.authorize.challenge': 'code_challenge is the PKCE challenge.',
  'oauth.authorize.method': 'code_challenge_method must be S256; plain is not supported.',
  'oauth.token.exchange':
    'A code is exchanged by JSON: grant_type, code, redirect_uri, client_id, code_verifier.',
  'oauth.token.redirect-uri': 'The exchange names the redirect_uri of the authorization request.',
  'oauth.token.refresh': 'A refresh is JSON: grant_type, refresh_token, client_id.',
  'oauth.revoke.body': 'A revocation is JSON: token and token_type_hint.',

  // Authentication
  'auth.browser': 'The client opens a browser to the authorize endpoint.',
  'auth.browser.log-in': 'The user logs in there and approves, by the button Authorize or Deny.',
  'auth.browser.consent':
    'The consent screen names the application, the account e-mail and the permissions, typically full access.',
  'auth.consent': 'The user logs in and approves; the buttons are Authorize and Deny.',
  'auth.consent.names':
    'Consent names the application, the account e-mail and the permissions asked for.',
  'auth.exchange': 'The code comes to the client, which exchanges it with the PKCE verifier.',
  'auth.no-secret': 'No client secret is required.',
  'auth.five-minutes': 'Authorization must be completed within five minutes.',
  'auth.bearer': 'An access token is sent as Authorization: Bearer.',
  'auth.key.created':
    'A key is created in the dashboard: name, scopes, expiration, copied at once.',
  'auth.key.bearer': 'A key is sent as Authorization: Bearer.',

  // Errors
  'condition.authentication-required':
    'Authentication required: the token expired and was not refreshed; authorize again.',
  'condition.scope-not-authorized':
    'Scope not authorized: the tool needs a scope that was not granted; authorize with broader ones.',
  'condition.invalid-token-format':
    'Invalid token format: the token is corrupted or incomplete; authorize again.',
} as const
