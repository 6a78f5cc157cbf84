import type { Context } from '#platform/context.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { localProvider } from './model-id.ts'
import { findProvider, type ProviderRow } from './store.ts'

type Config = Context['config']

/**
 * How a workspace reaches a provider: its own setting first, then the environment's. The two are
 * never mixed so that the operator's key would go to an address that a person typed.
 *
 * @returns null when neither says how
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
  ctx: Pick<Context, 'vault' | 'config'>,
  row: ProviderRow,
): ProviderAccess | null {
  const { provider } = row
  const apiKey = row.api_key_sealed === null ? null : ctx.vault.open(row.api_key_sealed)
  if (row.base_url !== null) return { provider, apiKey, baseUrl: row.base_url, trusted: false }
  const baseUrl = environmentAddress(ctx.config, provider)
  return baseUrl === undefined ? null : { provider, apiKey, baseUrl, trusted: true }
}

/** Access by the environment: what the operator set for every workspace. */
export function environmentAccess(config: Config, provider: string): ProviderAccess | null {
  if (provider === localProvider) return { provider, apiKey: null, baseUrl: null, trusted: true }
  const baseUrl = environmentAddress(config, provider)
  if (baseUrl === undefined) return null
  if (provider === 'ollama') return { provider, apiKey: null, baseUrl, trusted: true }
  const apiKey = environmentKey(config, provider)
  return apiKey === undefined ? null : { provider, apiKey, baseUrl, trusted: true }
}

function environmentKey(config: Config, provider: string): string | undefined {
  if (provider === 'openai') return config.openaiApiKey
  if (provider === 'anthropic') return config.anthropicApiKey
  if (provider === 'google') return config.googleApiKey
  return undefined
}

/** Null is the provider's own public address; undefined means that there is no known address. */
export function environmentAddress(config: Config, provider: string): string | null | undefined {
  if (provider === 'openai') return config.openaiBaseUrl
  if (provider === 'ollama') return config.ollamaBaseUrl
  if (provider === 'anthropic') return config.anthropicBaseUrl ?? null
  if (provider === 'google') return config.googleBaseUrl ?? null
  return undefined
}
