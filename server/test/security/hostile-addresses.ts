/** What PostgreSQL refuses to store or compare, and what is no UTF-8. */
export const unstorable = ['%00', 'a%00b', '%ff%fe', '%ed%a0%80']

/** Parts of a path that break code which decodes, splits or trusts them. */
export const hostileParts = [
  ...unstorable,
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

export const hostileValues = [
  ...hostileParts,
  '',
  '+',
  '=',
  '&&',
  '[]',
  '{}',
  '%5B%22a%22%5D',
  'true',
]

/** What a route reads of its query. Every route also gets names that none reads. */
export const queries: Readonly<Record<string, readonly string[]>> = {
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

export const plausible = ['a'.repeat(300)].concat(
  `
  0 1 100 asc desc true false csv jsonl 2026-01-01 S256 2026-02-30T99:99:99Z 0001-01-01
  /home //evil.example /%5cevil.example https://evil.example/ javascript:alert(1)
  svc_mcp_cli code a.csv apps http://localhost:4567/callback localhost xn--a eyJ9 bnVsbA
`
    .trim()
    .split(/\s+/),
)

export const headerValues = [
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
export const headerNames = `
  accept accept-language accept-encoding if-none-match if-modified-since range origin
  referer user-agent last-event-id x-correlation-id x-forwarded-for x-forwarded-proto
  x-forwarded-host forwarded x-request-id sec-fetch-site sec-fetch-mode mcp-session-id
  mcp-protocol-version api-version x-mcp-toolsets x-mcp-readonly idempotency-key
  authorization cookie
`
  .trim()
  .split(/\s+/)
