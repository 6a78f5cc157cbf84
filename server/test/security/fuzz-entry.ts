import type { Arbitrary } from 'fast-check'
import { asPage, type Tenant } from '#test/tenancy/tenant.ts'
import type { Payload } from './mutations.ts'

/** One place where the service reads a body. */
export interface Entry {
  readonly name: string
  /** The route, as the app registers it. */
  readonly route: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Further headers that depend on the body, such as its signature. */
  readonly sign?: (body: Payload['body']) => Readonly<Record<string, string>>
  readonly payloads: Arbitrary<Payload>
  /** True where another service may be needed, which may be down. */
  readonly needsOthers?: boolean
  /** Where it is, if not at the service's own address. */
  readonly at?: string
  /** True where so many visitors write that each message needs a proof. */
  readonly underPressure?: boolean
}

/** The cookies of a signed-in page. */
export function pageHeaders(tenant: Pick<Tenant, 'browser'>): Readonly<Record<string, string>> {
  const { headers } = asPage(tenant)
  return Object(headers) as Record<string, string>
}
