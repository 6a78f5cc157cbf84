import type { ItemOf } from '#api/call-operation.ts'
import { t } from '#texts/t.ts'
import { Badge } from '#ui/surfaces.tsx'

export interface ReachBadgesProps {
  readonly reach: ItemOf<'list_developer_keys'>['reach']
}

const mostShown = 3

/** What a developer key or a connected app is bound to. */
export function ReachBadges({ reach }: ReachBadgesProps) {
  if (reach === null) return <Badge>{t('settings.reach.everywhere')}</Badge>
  const places = [
    ...reach.workspaces.map((workspace) => ({ ...workspace, kind: 'workspace' as const })),
    ...reach.agents.map((agent) => ({ ...agent, kind: 'agent' as const })),
  ]
  const labelOf = ({ kind, name }: (typeof places)[number]) =>
    t(`settings.reach.${kind}`, { name: name ?? t('settings.reach.unknown') })
  const rest = places.slice(mostShown)
  return (
    <>
      {places.slice(0, mostShown).map((place) => (
        <Badge key={place.id} tone="accent">
          {labelOf(place)}
        </Badge>
      ))}
      {rest.length > 0 && (
        <span title={rest.map(labelOf).join(', ')}>
          <Badge tone="accent">{t('settings.reach.more', { count: rest.length })}</Badge>
        </span>
      )}
    </>
  )
}
