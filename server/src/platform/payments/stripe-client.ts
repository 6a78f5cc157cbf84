import type { IncomingMessage } from 'node:http'
import type Stripe from 'stripe'
import { z } from 'zod'
import { JsonBounds } from '#kernel/json-bounds.ts'
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
    httpClient: boundedClient(library),
  })
  return { library, client }
}

/** A page of a hundred payments is about 500 kB long, with 15,000 values. */
const maxAnswerBytes = 2 * 1024 * 1024
const mostValues = 50_000

/** The package reads an answer into memory and parses it, whatever its size. */
function boundedClient(library: typeof Stripe): Stripe.HttpClient {
  const inner = library.createNodeHttpClient()
  return {
    getClientName: () => inner.getClientName(),
    async makeRequest(...request) {
      const answer = await inner.makeRequest(...request)
      const readJson = answer.toJSON.bind(answer)
      answer.toJSON = () => {
        // The client of Node returns Node's response.
        endWhenTooLong(answer.getRawResponse() as IncomingMessage)
        return readJson()
      }
      return answer
    },
  }
}

function endWhenTooLong(body: IncomingMessage): void {
  const bounds = new JsonBounds({ mostValues, maxEventBytes: null })
  let length = 0
  body.on('data', (chunk: Buffer | string) => {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    try {
      if (length > maxAnswerBytes)
        throw new Error(`Stripe's answer is longer than ${maxAnswerBytes} bytes`)
      bounds.read(bytes)
    } catch (error) {
      body.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

const idPattern = /^\w{1,255}$/

/** Whether a value of an event may become part of a path. */
export function isObjectId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

/** Not every object has an id: a balance has none. */
const anEvent = z.object({
  id: z.string().regex(idPattern),
  type: z.string().max(255),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
})

/** @throws BadProviderEvent when Stripe did not sign the body with the secret, or it is no event */
export async function verifiedEvent(
  { client }: ConnectedStripe,
  body: string,
  signature: string | undefined,
  secret: string,
): Promise<Stripe.Event> {
  try {
    const event = await client.webhooks.constructEventAsync(body, signature ?? '', secret)
    if (anEvent.safeParse(event).success) return event
  } catch (cause) {
    throw new BadProviderEvent('the signature is invalid', { cause })
  }
  throw new BadProviderEvent('the body is no event')
}

/** Stripe understood the request and refuses it in the current state. */
export function isRefused(
  error: unknown,
  { library }: ConnectedStripe,
): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof library.errors.StripeInvalidRequestError
}

/** Records made with another key are missing too: the live key does not know those of a test key. */
export function isMissing(error: unknown, stripe: ConnectedStripe): boolean {
  return isRefused(error, stripe) && error.statusCode === 404
}
