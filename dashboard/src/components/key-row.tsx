import { Trash2 } from '#ui/icons.ts'
import { formatDate, isPast } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge } from '#ui/surfaces.tsx'
import {
  CredentialDetails,
  KeyBadges,
  LastUse,
  type ProtectedKey,
  type UsedCredential,
} from './key-facts.tsx'

/** A key as lists show it, without the key itself. */
export interface ShownKey extends UsedCredential, ProtectedKey {
  readonly id: string
  readonly name: string
  readonly last4: string
  readonly created_at: string
  readonly expires_at: string | null
}

export interface KeyRowProps {
  readonly apiKey: ShownKey
  onRevoke(): void
}

export function KeyRow({ apiKey, onRevoke }: KeyRowProps) {
  const { name, expires_at: expiresAt } = apiKey
  const isExpired = expiresAt !== null && isPast(expiresAt)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{name}</span>
          {isExpired && <Badge tone="bad">{t('keys.expired')}</Badge>}
          <KeyBadges of={apiKey} />
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="font-mono">{`${apiKey.prefix}…${apiKey.last4}`}</span>
          <span>{t('keys.created', { when: formatDate(apiKey.created_at) })}</span>
          <LastUse of={apiKey} />
          <span>
            {expiresAt === null
              ? t('keys.noExpiry')
              : t('keys.expires', { when: formatDate(expiresAt) })}
          </span>
        </p>
        <CredentialDetails of={{ ...apiKey, key: apiKey }} />
      </div>
      <Button size="small" onClick={onRevoke} aria-label={t('keys.revokeLabel', { name })}>
        <Trash2 aria-hidden />
        {t('keys.revoke')}
      </Button>
    </div>
  )
}
