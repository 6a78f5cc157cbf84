import { useOperationList } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { LastUse } from '#components/key-facts.tsx'
import { formatDate } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'

const days = 90

/** Keys of all kinds and connected apps without recent use. Absent if there are none. */
export function UnusedCard() {
  const workspace = useWorkspace()
  const isAdmin = useMay('admin')
  const input = { workspace_id: workspace.id, days, limit: 50 }
  const unused = useOperationList('list_unused_credentials', input, { enabled: isAdmin })
  if (!isAdmin || unused.items.length === 0) return null
  return (
    <Card>
      <CardHeading title={t('settings.unused.title')} hint={t('settings.unused.hint', { days })} />
      <ul aria-label={t('settings.unused.title')}>
        {unused.items.map((one) => (
          <li key={one.id} className="border-t border-line py-3">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              <span className="break-words">{one.name}</span>
              <Badge>{t(`settings.unused.kinds.${one.kind}`)}</Badge>
            </p>
            <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
              <LastUse of={one} />
              <span>{t('keys.created', { when: formatDate(one.created_at) })}</span>
              <span className="break-all">{one.user_email}</span>
            </p>
          </li>
        ))}
      </ul>
      {unused.hasMore && (
        <Button look="quiet" busy={unused.isLoadingMore} onClick={unused.more}>
          {t('common.more')}
        </Button>
      )}
    </Card>
  )
}
