import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startCaptchaServer, type CaptchaServer } from '#test/support/servers/captcha-server.ts'
import { startDnsServer, type DnsServer } from '#test/support/servers/dns-server.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import { PostOffice } from '#test/support/servers/post-office.ts'
import type { OpenSignIn, SignInService } from '#test/support/identity/sign-in-service.ts'
import {
  billingWebhookSecret,
  startStripeBillingServer,
} from '#test/support/servers/stripe-billing-server.ts'
import { startStripeServer, webhookSecret } from '#test/support/servers/stripe-server.ts'

/** A service with everything that an operator can connect: without it, entries refuse at their first line. */
export interface FuzzedService {
  readonly service: SignInService
  readonly provider: OpenIdServer
  readonly captcha: CaptchaServer
  readonly dns: DnsServer
  stop(): Promise<void>
}

export async function openFuzzed(open: OpenSignIn): Promise<FuzzedService> {
  const [provider, payments, billing] = await Promise.all([
    startOpenIdServer(),
    startStripeServer(),
    startStripeBillingServer(),
  ])
  const postOffice = new PostOffice()
  const captcha = await startCaptchaServer('turnstile')
  const dns = await startDnsServer()
  const model = await startModelServer({ reply: ['Hello.'] })
  const stripe = await startStripe({ payments: payments.baseUrl, billing: billing.baseUrl })
  const service = await open({
    DEFAULT_PLAN: 'enterprise',
    DASHBOARD_RATE_LIMIT: 'unlimited',
    SMTP_URL: await postOffice.open(),
    MAIL_FROM: 'Parley <parley@example.com>',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: openIdClient.id,
    OIDC_CLIENT_SECRET: openIdClient.secret,
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_live_of_nobody',
    STRIPE_API_BASE: stripe.baseUrl,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    BILLING_WEBHOOK_SECRET: billingWebhookSecret,
    BILLING_PLAN_PRICES: 'builder=price_builder,studio=price_studio',
    BILLING_CREDIT_PACKS: '1000=price_pack',
    ...captcha.environment,
    // Nothing else of this machine may be reached.
    OUTBOUND_ALLOW_PRIVATE: new URL(captcha.environment.VISITOR_CHALLENGE_API_BASE ?? '').host,
    DNS_SERVERS: dns.address,
    OPENAI_API_KEY: 'sk-of-nobody',
    OPENAI_BASE_URL: model.baseUrl,
    DEFAULT_MODEL: 'local/extractive',
  })
  return {
    service,
    provider,
    captcha,
    dns,
    async stop() {
      await Promise.all([dns.stop(), model.stop()])
      await Promise.all([provider, payments, billing, stripe].map((server) => server.stop()))
      await postOffice.close()
    },
  }
}

/** The header with which Stripe signs a body. */
export function stripeSignature(body: string | Uint8Array, secret: string): string {
  const time = Math.floor(Date.now() / 1000)
  const text = typeof body === 'string' ? body : Buffer.from(body).toString()
  const signed = createHmac('sha256', secret).update(`${time}.${text}`).digest('hex')
  return `t=${time},v1=${signed}`
}

interface Targets {
  readonly payments: string
  readonly billing: string
}

/** One address for both halves of Stripe's API. */
async function startStripe(targets: Targets) {
  const server = createServer((request, response) => void passOn(targets, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP socket
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function passOn(
  { payments, billing }: Targets,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '/', method = 'GET', headers } = request
  const isPayment = /^\/v1\/(?:payment_intents|refunds)/.test(url)
  const chunks = await request.toArray()
  const body = Buffer.concat(chunks)
  const answer = await fetch(new URL(url, isPayment ? payments : billing), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
    ),
    ...(body.length === 0 ? {} : { body }),
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(await answer.text())
}
