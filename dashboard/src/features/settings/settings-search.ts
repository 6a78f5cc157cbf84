import type { InputOf } from '#api/call-operation.ts'
import { searchDay } from '#components/search-day.ts'
import { flag } from '#components/search-flag.ts'

export type TransactionKind = NonNullable<InputOf<'list_credit_transactions'>['kind']>

export const transactionKinds = [
  'turn',
  'embedding',
  'action',
  'summary',
  'grant',
  'expiry',
  'adjustment',
  'purchase',
] as const satisfies readonly TransactionKind[]

/** The state in the URL of the billing page. */
export interface BillingSearch {
  readonly kind?: TransactionKind | undefined
  /** Whether the form of a new cap is open. */
  readonly limit?: true | undefined
  /** The result of a purchase, when the payment provider redirects back. */
  readonly checkout?: 'done' | 'canceled'
}

export function billingSearch(search: Record<string, unknown>): BillingSearch {
  const kind = transactionKinds.find((one) => one === search.kind)
  const { checkout } = search
  return {
    ...(kind === undefined ? {} : { kind }),
    ...flag(search, 'limit'),
    ...(checkout === 'done' || checkout === 'canceled' ? { checkout } : {}),
  }
}

/** The filters in the URL of the audit log. */
export interface AuditSearch {
  readonly actor?: string
  readonly action?: string
  readonly target?: string
  readonly outcome?: 'done' | 'refused'
  /** A day in the reader's calendar: 2026-01-31. */
  readonly from?: string
  readonly to?: string
}

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const text = (name: 'actor' | 'action' | 'target') => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? { [name]: value } : {}
  }
  const date = (name: 'from' | 'to') => {
    const value = searchDay(search[name])
    return value === undefined ? {} : { [name]: value }
  }
  const { outcome } = search
  return {
    ...text('actor'),
    ...text('action'),
    ...text('target'),
    ...(outcome === 'done' || outcome === 'refused' ? { outcome } : {}),
    ...date('from'),
    ...date('to'),
  }
}

export type JobStatus = NonNullable<InputOf<'list_jobs'>['status']>

export const jobStatuses = [
  'queued',
  'running',
  'failed',
  'done',
] as const satisfies readonly JobStatus[]

/** The filter in the URL of the jobs page. */
export interface JobsSearch {
  readonly status?: JobStatus
}

export function jobsSearch(search: Record<string, unknown>): JobsSearch {
  const status = jobStatuses.find((one) => one === search.status)
  return status === undefined ? {} : { status }
}
