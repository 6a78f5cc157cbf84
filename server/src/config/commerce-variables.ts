import { z } from 'zod'
import { httpUrl, integer, optionalText, unlimitedOr, variable } from './variable.ts'

/** The payment provider of checkouts. */
export const paymentVariables = {
  PAYMENTS: variable(
    z.enum(['test', 'stripe'], 'must be test or stripe'),
    'Payment provider of checkouts. `test` moves no money and marks its orders as test orders.',
    { fallback: 'test' },
  ),
  STRIPE_SECRET_KEY: variable(
    optionalText,
    'Secret key of your Stripe account; required with `PAYMENTS=stripe`.',
    { secret: true },
  ),
  STRIPE_WEBHOOK_SECRET: variable(
    optionalText,
    'Signing secret of the Stripe webhook at `/hooks/payments/stripe`.',
    { secret: true },
  ),
  STRIPE_API_BASE: variable(httpUrl.optional(), "Another address for Stripe's API."),
  PAYMENT_TIMEOUT_MS: variable(integer(1), 'How long the payment provider may take to respond.', {
    fallback: '30000',
  }),
} as const

/** Checkouts and their callers. */
export const checkoutVariables = {
  ACP_FAILED_CALLS_LIMIT: variable(
    integer(1, 1_000_000),
    'Checkout requests with a rejected key per client address and minute. Further ones get status 429 instead of 401 or 403.',
    { fallback: '60' },
  ),
  CHECKOUT_SESSION_TTL_SECONDS: variable(
    integer(1, 31_536_000),
    'How long a checkout session stays open after its last change.',
    { fallback: '86400' },
  ),
  CHECKOUTS_PER_DAY: variable(
    unlimitedOr(integer(1, 1_000_000_000)),
    'Checkout sessions that the agents of a workspace can open in a day, or `unlimited`. Further ones get status 429. Refused and repeated requests do not count.',
    { fallback: '100000' },
  ),
} as const
