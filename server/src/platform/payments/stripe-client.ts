import type Stripe from 'stripe'

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

/** The official package, loaded when it is first needed. */
export async function connectStripe({
  secretKey,
  apiBase,
  timeoutMs,
}: StripeAccount): Promise<ConnectedStripe> {
  const { default: library } = await import('stripe')
  const base = apiBase === undefined ? null : new URL(apiBase)
  const address =
    base === null
      ? {}
      : {
          host: base.hostname,
          port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : Number(base.port),
          protocol: base.protocol === 'http:' ? ('http' as const) : ('https' as const),
        }
  // Retries are ours: what is in doubt is settled under the same key, also after a restart.
  const client = new library(secretKey, {
    ...address,
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return { library, client }
}
