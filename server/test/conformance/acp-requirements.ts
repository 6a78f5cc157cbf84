/** The sentences of the interface about agentic commerce. */
export const acpRequirements = {
  // What the service does
  'acp.purpose.discovery': 'Each agent has product discovery that anyone can read.',
  'acp.purpose.checkout': 'Each agent has checkout sessions, for holders of a key.',

  // Resources: API key, ACP
  'acp.key.prefix': 'A key is acp_ and 32 random characters.',
  'acp.key.binding': 'A key is bound to one agent.',
  'acp.key.scope': 'A key opens the checkout endpoints only; it is no chat key, nor a chat key it.',
  'acp.key.storage': 'A key is stored as its SHA-256; the key itself is shown once.',
  'acp.key.lifecycle': 'A key may be revoked, or expire.',

  // Resources: checkout line item
  'acp.item.list': 'line_items is required: an array.',
  'acp.item.product': 'line_items[].product_id is required: a UUID.',
  'acp.item.quantity': 'line_items[].quantity is required: an integer.',

  // States and transitions
  'acp.state.expired': 'A key whose time is over is rejected as expired.',
  'acp.state.revoked': 'A revoked key is rejected as invalid.',

  // Endpoints
  'acp.endpoint.card': 'GET /.well-known/agent.json, without a key: the discovery document.',
  'acp.endpoint.products': 'GET /products, without a key: the products.',
  'acp.endpoint.create': 'POST {base_url}/acp/{appId}/checkout_sessions creates a session.',
  'acp.endpoint.get': 'GET /checkout_sessions/{id} returns the session.',
  'acp.endpoint.update': 'POST /checkout_sessions/{id} updates the session.',
  'acp.endpoint.complete': 'POST /checkout_sessions/{id}/complete completes the session.',
  'acp.endpoint.cancel': 'POST /checkout_sessions/{id}/cancel cancels the session.',

  // Authentication
  'acp.auth.public': 'Discovery needs no authentication.',
  'acp.auth.bearer': 'Every checkout endpoint needs Authorization: Bearer <ACP_API_KEY>.',
  'acp.auth.order':
    'Checked in order: header, prefix, known and not revoked, not expired, the agent of the URL.',

  // Errors
  'acp.error.body': 'An error is {"error": {"code", "message"}}.',
  'acp.error.header': '401 unauthorized: Missing or invalid Authorization header.',
  'acp.error.format': '401 unauthorized: Invalid API key format.',
  'acp.error.invalid': '401 unauthorized: Invalid API key.',
  'acp.error.expired': '401 expired: API key has expired.',
  'acp.error.agent': '403 forbidden: API key does not match application.',
  'acp.error.rate': '429 is {"error": "Rate limit exceeded"}, with Retry-After in seconds.',

  // Limits
  'acp.limit.public': 'Public routes: 200 requests a minute, by client address.',
  'acp.limit.checkout': 'Checkout routes: 60 requests a minute, by key.',
} as const
