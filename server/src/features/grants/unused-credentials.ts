import { dayMs } from '#kernel/durations.ts'
import { camelKeys, type CamelKeys } from '#kernel/key-case.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listUnusedRows } from './unused-store.ts'

const kinds = {
  chat: 'chat_key',
  acp: 'checkout_key',
  developer: 'developer_key',
  grant: 'connected_app',
} as const

export const credentialKinds = Object.values(kinds)

type UnusedRow = Awaited<ReturnType<typeof listUnusedRows>>[number]

/** A credential that works but was not used for long. */
export interface UnusedCredential extends Omit<
  CamelKeys<UnusedRow>,
  'kind' | 'reachJson' | 'hasChecksum'
> {
  readonly kind: (typeof credentialKinds)[number]
  /** True if it is limited to an agent, or to what a person picked. */
  readonly isBound: boolean
  /** Null for a kind that never has a checksum. */
  readonly hasChecksum: boolean | null
}

/**
 * The keys and grants of a workspace that are valid but were not used for a number of days, or not
 * since they were created that long ago. Newest first.
 */
export function listUnusedCredentials(
  ctx: Pick<Context, 'db' | 'clock'>,
  { workspaceId, days }: { readonly workspaceId: string; readonly days: number },
  page: PageRequest,
): Promise<Page<UnusedCredential>> {
  const now = ctx.clock.now()
  const filter = { workspaceId, now, unusedSince: now - days * dayMs }
  return pageById(page, (window) => listUnusedRows(ctx.db.read, filter, window), fromRow)
}

function fromRow({ kind, reach_json, has_checksum, ...row }: UnusedRow): UnusedCredential {
  const neverHasOne = kind === 'acp' || kind === 'grant'
  return {
    ...camelKeys(row),
    kind: kinds[kind],
    isBound: row.agent_id !== null || reach_json !== null,
    hasChecksum: neverHasOne ? null : has_checksum === 1,
  }
}
