import type { Context } from '#platform/context.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { findProvider, type ProviderRow } from './store.ts'

/**
 * How a workspace reaches a provider: its own setting first, then the environment's. The two are
 * never mixed in a way that sends the operator's key to an address that a person typed.
 *
 * @returns null when neither configures the provider
 */
export async function resolveProvider(
  ctx: Pick<Context, 'db' | 'vault' | 'config'>,
  workspaceId: string,
  provider: string,
): Promise<ProviderAccess | null> {
  const own = await findProvider(ctx.db.read, workspaceId, provider)
  return own === undefined ? environmentAccess(ctx.config, provider) : workspaceAccess(ctx, own)
}

/** Access by a workspace's own setting; its address is trusted only when the environment gave it. */
export function workspaceAccess(
  { config, vault }: Pick<Context, 'vault' | 'config'>,
  { provider, base_url, api_key_sealed }: ProviderRow,
): ProviderAccess | null {
  const apiKey = api_key_sealed === null ? null : vault.open(api_key_sealed)
  if (base_url !== null) return { provider, apiKey, baseUrl: base_url, trusted: false }
  const baseUrl = config.providers.get(provider)?.baseUrl ?? null
  return baseUrl === null ? null : { provider, apiKey, baseUrl, trusted: true }
}

/** Access by the environment: what the operator set for every workspace. */
export function environmentAccess(
  config: Pick<Context['config'], 'providers'>,
  provider: string,
): ProviderAccess | null {
  return config.providers.get(provider)?.access ?? null
}
