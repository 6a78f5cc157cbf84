import type Stripe from 'stripe'
import { BadProviderEvent } from './payments.ts'

export interface StripeAccount {
  readonly secretKey: string
  /** Another address of the API, for a proxy or a test. */
  readonly apiBase: string | undefined
  readonly timeoutMs: number
}

export interface ConnectedStripe {
  readonly library: typeof Stripe
  readonly client: Stripe
}

/** Connects through the official package, which is loaded on first use. */
export async function connectStripe({
  secretKey,
  apiBase,
  timeoutMs,
}: StripeAccount): Promise<ConnectedStripe> {
  const { default: library } = await import('stripe')
  const { hostname: host, port, protocol } = new URL(apiBase ?? 'https://api.stripe.com')
  const isPlain = protocol === 'http:'
  // Parley does its own retries, with the same idempotency key and also after a restart.
  const client = new library(secretKey, {
    host,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return { library, client }
}

/** @throws BadProviderEvent when Stripe did not sign the body with the secret */
export async function verifiedEvent(
  { client }: ConnectedStripe,
  body: string,
  signature: string | undefined,
  secret: string,
): Promise<Stripe.Event> {
  try {
    return await client.webhooks.constructEventAsync(body, signature ?? '', secret)
  } catch (cause) {
    throw new BadProviderEvent('the signature is invalid', { cause })
  }
}

/** Stripe understood the request and refuses it in the current state. */
export function isRefused(
  error: unknown,
  { library }: ConnectedStripe,
): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof library.errors.StripeInvalidRequestError
}
