import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { LastUse } from '#components/key-facts.tsx'
import { formatDate } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'
import { useRevokeUnused } from './use-revoke-unused.ts'

type Unused = ItemOf<'list_unused_credentials'>

const days = 90

/** Keys of all kinds and connected apps without recent use. Absent if there are none. */
export function UnusedCard() {
  const workspace = useWorkspace()
  const isAdmin = useMay('admin')
  const [leaving, setLeaving] = useState<Unused | null>(null)
  const revoke = useRevokeUnused()
  const input = { workspace_id: workspace.id, days, limit: 50 }
  const unused = useOperationList('list_unused_credentials', input, { enabled: isAdmin })
  if (!isAdmin || unused.items.length === 0) return null
  return (
    <Card>
      <CardHeading title={t('settings.unused.title')} hint={t('settings.unused.hint', { days })} />
      <ul aria-label={t('settings.unused.title')}>
        {unused.items.map((one) => (
          <UnusedRow key={one.id} item={one} onRevoke={() => setLeaving(one)} />
        ))}
      </ul>
      {unused.hasMore && (
        <Button look="quiet" busy={unused.isLoadingMore} onClick={unused.more}>
          {t('common.more')}
        </Button>
      )}
      <ConfirmDialog
        open={leaving !== null}
        onOpenChange={(open) => !open && setLeaving(null)}
        title={t('keys.revokeConfirm', { name: leaving?.name ?? '' })}
        confirm={t('keys.revoke')}
        onConfirm={async () => {
          if (leaving !== null) await revoke(leaving)
        }}
      >
        {t(
          leaving?.kind === 'connected_app'
            ? 'settings.connectedApps.revokeWarning'
            : 'keys.revokeWarning',
        )}
      </ConfirmDialog>
    </Card>
  )
}

interface UnusedRowProps {
  readonly item: Unused
  onRevoke(): void
}

function UnusedRow({ item, onRevoke }: UnusedRowProps) {
  const { user } = useMe()
  // Admins may revoke every key of the workspace; only its person can disconnect an app.
  const mayRevoke = item.kind !== 'connected_app' || item.user_id === user.id
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{item.name}</span>
          <Badge>{t(`settings.unused.kinds.${item.kind}`)}</Badge>
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <LastUse of={item} />
          <span>{t('keys.created', { when: formatDate(item.created_at) })}</span>
          <span className="break-all">{item.user_email}</span>
        </p>
      </div>
      {mayRevoke && (
        <Button
          size="small"
          onClick={onRevoke}
          aria-label={t('keys.revokeLabel', { name: item.name })}
        >
          {t('keys.revoke')}
        </Button>
      )}
    </li>
  )
}
