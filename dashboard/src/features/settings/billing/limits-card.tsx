import type { ItemOf } from '#api/call-operation.ts'
import { useOperation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { formatBytes, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'

type LimitUse = ItemOf<'list_limits'>

const storage = 'storage_bytes_per_workspace'
const messageBytes = 'message_bytes_per_workspace'

/** From this share on, a limit is marked. */
const nearShare = 0.9

/** What the workspace uses of each limit of the instance. */
export function LimitsCard() {
  const workspace = useWorkspace()
  const found = useOperation('list_limits', { workspace_id: workspace.id, limit: 100 })
  if (found.error !== null)
    return <ErrorState error={found.error} onRetry={() => found.refetch()} />
  return (
    <Card>
      <CardHeading title={t('settings.limits.title')} hint={t('settings.limits.hint')} />
      {found.data === undefined ? (
        <LoadingRows rows={4} />
      ) : (
        <dl className="divide-y divide-line border-t border-line text-sm">
          {found.data.items.map((use) => (
            <LimitRow key={use.limit} use={use} />
          ))}
        </dl>
      )}
    </Card>
  )
}

function LimitRow({ use }: { readonly use: LimitUse }) {
  const { limit, used, allowed } = use
  const isBytes = limit === storage || limit === messageBytes
  const format = isBytes ? (bytes: number) => formatBytes(bytes, 1000) : formatNumber
  return (
    <div className="flex flex-wrap justify-between gap-x-4 py-2.5 last:pb-0">
      <dt className="text-soft">{nameOf(use)}</dt>
      <dd className="flex items-center gap-3 font-medium tabular-nums">
        {allowed !== null && used >= allowed * nearShare && (
          <Badge tone="warn">{t('settings.limits.near')}</Badge>
        )}
        {allowed === null
          ? format(used)
          : t('settings.limits.use', { used: format(used), allowed: format(allowed) })}
      </dd>
    </div>
  )
}

/** An operator's newer service may have limits that this page does not know. */
function nameOf({ limit, things, per }: LimitUse): string {
  if (limit === storage) return t('settings.limits.storage')
  if (limit === messageBytes) return t('settings.limits.messageBytes')
  const name = things.charAt(0).toUpperCase() + things.slice(1)
  if (per === 'agent') return t('settings.limits.agent', { things: name })
  return per === 'workspace' ? name : t('settings.limits.person', { name })
}
