import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Badge } from '#ui/surfaces.tsx'

export interface UsedCredential {
  readonly last_used_at: string | null
  readonly last_used_address: string | null
  readonly last_used_agent: string | null
}

/** When a key or an app was used last, and from where. */
export function LastUse({ of }: { readonly of: UsedCredential }) {
  const { last_used_at: usedAt, last_used_address: address } = of
  if (usedAt === null) return <span>{t('keys.unused')}</span>
  const when = formatRelative(usedAt)
  return (
    <span>
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
  return (
    <>
      {addresses !== null && <Badge>{t('keys.addressCount', { count: addresses.length })}</Badge>}
      {lacksChecksum(of) && <Badge tone="warn">{t('keys.noChecksum')}</Badge>}
    </>
  )
}

/** The format of checkout keys is fixed and has none. */
function lacksChecksum({ prefix, has_checksum: has }: ProtectedKey): boolean {
  return !has && prefix !== 'acp_'
}

export interface CredentialFacts extends UsedCredential {
  /** Null for an app, which has no key. */
  readonly key: ProtectedKey | null
  readonly scopes?: readonly string[]
  /** Names of workspaces and agents; undefined if it is bound to none. */
  readonly places?: readonly string[] | undefined
}

/** In full what the row of a key or an app only counts. It opens with a click or a key. */
export function CredentialDetails({ of }: { readonly of: CredentialFacts }) {
  const program = of.last_used_agent
  const facts = [
    { label: t('keys.details.scopes'), values: of.scopes?.includes('*') ? [] : of.scopes },
    { label: t('keys.details.reach'), values: of.places },
    { label: t('keys.details.addresses'), values: of.key?.allowed_addresses },
    { label: t('keys.details.program'), values: program === null ? [] : [program] },
    {
      label: t('keys.noChecksum'),
      values: of.key !== null && lacksChecksum(of.key) ? [t('keys.noChecksumHint')] : [],
    },
  ].filter(({ values }) => (values ?? []).length > 0)
  if (facts.length === 0) return null
  return (
    <details className="mt-1.5 text-[0.8125rem]">
      <summary className="w-fit cursor-pointer rounded text-accent">
        {t('keys.details.title')}
      </summary>
      <dl className="mt-1.5 flex flex-col gap-1.5">
        {facts.map(({ label, values }) => (
          <div key={label} className="flex flex-col gap-x-4 sm:flex-row">
            <dt className="w-44 shrink-0 text-soft">{label}</dt>
            <dd className="min-w-0 break-words">
              <ul>
                {values?.map((value, at) => (
                  <li key={`${at} ${value}`}>{value}</li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
