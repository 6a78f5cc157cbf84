import type { Tenant } from './tenant.ts'

/** The ids in one tenant's requests: those of another tenant, or unknown ones. */
export type Ids = Pick<
  Tenant,
  | 'workspaceId'
  | 'appId'
  | 'appNameId'
  | 'chatSessionId'
  | 'messageId'
  | 'responseId'
  | 'fileId'
  | 'sourceId'
  | 'productId'
  | 'checkoutId'
  | 'orderId'
  | 'receiptKey'
  | 'signInId'
  | 'factorId'
  | 'grantId'
>

export interface TenantRequest {
  readonly path: string
  readonly init?: RequestInit
}

/** One or more requests to a route, or the reason why the route accepts no id of a tenant. */
export type Route = ((own: Tenant, ids: Ids) => readonly TenantRequest[]) | string

export const json = { 'content-type': 'application/json' }

export function bearer(key: string, body?: unknown): RequestInit {
  const authorization = { authorization: `Bearer ${key}` }
  if (body === undefined) return { headers: authorization }
  return { method: 'POST', headers: { ...authorization, ...json }, body: JSON.stringify(body) }
}
