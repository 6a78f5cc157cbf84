const ofVisitor = 'found only with the token of a visitor: see surfaces/public/messages.test.ts'

/** The routes of chat pages, which take no credential of a tenant. */
export const visitorRoutes = {
  'GET /chat/:app': 'public, or found only with a secret',
  'GET /chat/:app/app': 'public, or found only with a secret',
  'GET /chat/:app/app.webmanifest': 'public, or found only with a secret',
  'GET /chat/:app/icon.svg': 'public, or found only with a secret',
  'GET /chat/:app/icon-180.png': 'public, or found only with a secret',
  'GET /chat/:app/icon-192.png': 'public, or found only with a secret',
  'GET /chat/:app/icon-512.png': 'public, or found only with a secret',
  'GET /chat/:app/enter': 'leads to GET /login/chat/:app',
  'GET /login/chat/:app': 'for members only: see surfaces/public/enter.test.ts',
  'POST /chat/:app/visit': ofVisitor,
  'POST /chat/:app/messages': ofVisitor,
  'GET /chat/:app/conversations': ofVisitor,
  'GET /chat/:app/conversations/:id': ofVisitor,
  'POST /chat/:app/ratings': ofVisitor,
  'GET /chat/widget/:key': 'public, and names the agent: see surfaces/public/widget.test.ts',
  'GET /chat/widget/:key/frame': 'public, and names the agent: see surfaces/public/widget.test.ts',
  'POST /chat/widget/:key/visit': 'public, and names the agent: see surfaces/public/widget.test.ts',
  'GET /chat-domains/ask':
    'says only whether a domain is served: see surfaces/public/domains.test.ts',
  'GET /chat-captcha': 'the same for everyone',
  'GET /chat-assets/:name': 'the same for everyone',
}
