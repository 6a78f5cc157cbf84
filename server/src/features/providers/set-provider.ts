import { requireRecordRoom } from '#features/quotas/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { providerAddress } from './provider-address.ts'
import { providerFaults } from './provider-faults.ts'
import { deleteProvider, findProvider, upsertProvider } from './store.ts'

/** A workspace's own settings for a provider, without the key. */
export interface ProviderSetting {
  readonly provider: string
  readonly baseUrl: string | null
  readonly hasKey: boolean
}

/** A field that is left out stays as it is; null removes it. */
export interface ProviderChange {
  readonly provider: string
  readonly apiKey?: string | null | undefined
  readonly baseUrl?: string | null | undefined
}

/**
 * Sets a workspace's own key or address for a provider. If neither is left, the environment's
 * apply again. A new address forgets the stored key unless a key comes with it: otherwise an admin
 * could have the key sent to an address of their own.
 *
 * @throws Fault provider_fixed, provider_address_required, provider_address_invalid
 */
export async function setProvider(
  ctx: Pick<Context, 'db' | 'clock' | 'vault' | 'config'>,
  workspaceId: string,
  change: ProviderChange,
): Promise<ProviderSetting> {
  const { provider } = change
  const builtIn = ctx.config.providers.get(provider)
  if (builtIn?.models) throw new Fault(providerFaults.provider_fixed, { provider })
  // Sealed before the unit: a unit may run twice.
  const newUrl =
    typeof change.baseUrl === 'string' ? providerAddress(change.baseUrl) : change.baseUrl
  const newKey = typeof change.apiKey === 'string' ? ctx.vault.seal(change.apiKey) : change.apiKey
  return ctx.db.write(async (tx) => {
    const before = await findProvider(tx, workspaceId, provider)
    const oldUrl = before?.base_url ?? null
    const base_url = newUrl === undefined ? oldUrl : newUrl
    const keptKey = base_url === oldUrl ? (before?.api_key_sealed ?? null) : null
    const api_key_sealed = newKey === undefined ? keptKey : newKey
    if (base_url === null && api_key_sealed === null) {
      await deleteProvider(tx, workspaceId, provider)
    } else if (base_url === null && builtIn === undefined) {
      throw new Fault(providerFaults.provider_address_required, { provider })
    } else {
      if (before === undefined)
        await requireRecordRoom(tx, ctx, 'providers_per_workspace', workspaceId)
      const now = ctx.clock.now()
      const created_at = before?.created_at ?? now
      const access = { base_url, api_key_sealed }
      const row = { workspace_id: workspaceId, provider, created_at, updated_at: now, ...access }
      await upsertProvider(tx, row)
    }
    return { provider, baseUrl: base_url, hasKey: api_key_sealed !== null }
  })
}
