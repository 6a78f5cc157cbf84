import { Trash2 } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { CredentialDetails, KeyBadges, LastUse } from '#components/key-facts.tsx'
import { formatDate, isPast } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge } from '#ui/surfaces.tsx'
import { placesOf, ReachBadges } from './reach-badges.tsx'

export interface DeveloperKeyRowProps {
  readonly apiKey: ItemOf<'list_developer_keys'>
  onDelete(): void
}

export function DeveloperKeyRow({ apiKey, onDelete }: DeveloperKeyRowProps) {
  const me = useMe()
  const isFull = apiKey.scopes.includes('*')
  const isExpired = apiKey.expires_at !== null && isPast(apiKey.expires_at)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{apiKey.name}</span>
          {isExpired && <Badge tone="bad">{t('settings.developer.expired')}</Badge>}
          <Badge>
            {isFull
              ? t('settings.developer.scopesFull')
              : t('settings.developer.scopeCount', { count: apiKey.scopes.length })}
          </Badge>
          <ReachBadges reach={apiKey.reach} />
          <KeyBadges of={apiKey} />
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="font-mono">{`${apiKey.prefix}…${apiKey.last4}`}</span>
          {apiKey.user_id !== me.user.id && (
            <span>{t('settings.developer.of', { email: apiKey.user_email })}</span>
          )}
          <LastUse of={apiKey} />
          <span>{expiryOf(apiKey.expires_at, isExpired)}</span>
        </p>
        <CredentialDetails of={{ ...apiKey, key: apiKey, places: placesOf(apiKey.reach) }} />
      </div>
      <Button
        size="small"
        onClick={onDelete}
        aria-label={t('settings.developer.deleteLabel', { name: apiKey.name })}
      >
        <Trash2 aria-hidden />
        {t('settings.developer.delete')}
      </Button>
    </div>
  )
}

function expiryOf(expiresAt: string | null, isExpired: boolean): string {
  if (expiresAt === null) return t('settings.developer.never')
  if (isExpired) return t('settings.developer.expired')
  return t('settings.developer.expires', { when: formatDate(expiresAt) })
}
