import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { insertClient } from './client-store.ts'
import { readClientMetadata, type ClientMetadata } from './read-metadata.ts'

/**
 * Dynamic client registration (RFC 7591 §3). Anyone may register; registration alone gives no access.
 *
 * @throws Fault redirect_invalid, client_metadata_invalid
 */
export async function registerClient(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  given: unknown,
): Promise<ClientMetadata & { readonly id: string; readonly createdAt: number }> {
  const metadata = readClientMetadata(ctx.config, given)
  const now = ctx.clock.now()
  const id = `mcp_${newId(now)}`
  await ctx.db.write((tx) =>
    insertClient(tx, {
      id,
      kind: 'registered',
      metadata_json: JSON.stringify(metadata),
      created_at: now,
      last_used_at: now,
      fresh_until: null,
    }),
  )
  return { ...metadata, id, createdAt: now }
}
