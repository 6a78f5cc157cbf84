import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { providerAddress } from './provider-address.ts'
import { providerFaults } from './provider-faults.ts'
import { deleteProvider, findProvider, upsertProvider, type ProviderRow } from './store.ts'

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
  const wanted = {
    baseUrl: typeof change.baseUrl === 'string' ? providerAddress(change.baseUrl) : change.baseUrl,
    sealedKey: typeof change.apiKey === 'string' ? ctx.vault.seal(change.apiKey) : change.apiKey,
  }
  return ctx.db.write(async (tx) => {
    const before = await findProvider(tx, workspaceId, provider)
    const after = merge(before, wanted)
    if (after.base_url === null && after.api_key_sealed === null) {
      await deleteProvider(tx, workspaceId, provider)
    } else if (after.base_url === null && builtIn === undefined) {
      throw new Fault(providerFaults.provider_address_required, { provider })
    } else {
      const now = ctx.clock.now()
      const created_at = before?.created_at ?? now
      const row = { workspace_id: workspaceId, provider, created_at, updated_at: now, ...after }
      await upsertProvider(tx, row)
    }
    return { provider, baseUrl: after.base_url, hasKey: after.api_key_sealed !== null }
  })
}

type Access = Pick<ProviderRow, 'base_url' | 'api_key_sealed'>

interface Wanted {
  readonly baseUrl: string | null | undefined
  readonly sealedKey: string | null | undefined
}

function merge(before: Access | undefined, { baseUrl, sealedKey }: Wanted): Access {
  const oldUrl = before?.base_url ?? null
  const base_url = baseUrl === undefined ? oldUrl : baseUrl
  const keptKey = base_url === oldUrl ? (before?.api_key_sealed ?? null) : null
  return { base_url, api_key_sealed: sealedKey === undefined ? keptKey : sealedKey }
}
