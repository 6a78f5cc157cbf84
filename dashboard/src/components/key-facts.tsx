import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Badge } from '#ui/surfaces.tsx'

export interface UsedCredential {
  readonly last_used_at: string | null
  readonly last_used_address: string | null
  readonly last_used_agent: string | null
}

/** When a key or an app was used last, and from where; on hover, by which program. */
export function LastUse({ of }: { readonly of: UsedCredential }) {
  const { last_used_at: usedAt, last_used_address: address, last_used_agent: program } = of
  if (usedAt === null) return <span>{t('keys.unused')}</span>
  const when = formatRelative(usedAt)
  return (
    <span {...(program === null ? {} : { title: program })}>
      {address === null ? t('keys.used', { when }) : t('keys.usedFrom', { when, address })}
    </span>
  )
}

export interface ProtectedKey {
  readonly prefix: string
  readonly allowed_addresses: readonly string[] | null
  readonly has_checksum: boolean
}

/** Marks keys that only some addresses may use, and keys that leak scanners do not recognise. */
export function KeyBadges({ of }: { readonly of: ProtectedKey }) {
  const { allowed_addresses: addresses } = of
  // The format of checkout keys is fixed and has none.
  const lacksChecksum = !of.has_checksum && of.prefix !== 'acp_'
  return (
    <>
      {addresses !== null && (
        <span title={addresses.join(', ')}>
          <Badge>{t('keys.addressCount', { count: addresses.length })}</Badge>
        </span>
      )}
      {lacksChecksum && (
        <span title={t('keys.noChecksumHint')}>
          <Badge tone="warn">{t('keys.noChecksum')}</Badge>
        </span>
      )}
    </>
  )
}
