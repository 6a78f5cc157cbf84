import type { ItemOf } from '#api/call-operation.ts'
import { t } from '#texts/t.ts'
import { Badge } from '#ui/surfaces.tsx'

export interface ReachBadgesProps {
  readonly reach: ItemOf<'list_developer_keys'>['reach']
}

const mostShown = 3

/** What a developer key or a connected app is bound to; the details of its row list all of it. */
export function ReachBadges({ reach }: ReachBadgesProps) {
  const places = placesOf(reach)
  if (places === undefined) return <Badge>{t('settings.reach.everywhere')}</Badge>
  const others = places.length - mostShown
  return (
    <>
      {places.slice(0, mostShown).map((place, at) => (
        // Two agents can have the same name.
        <Badge key={`${at} ${place}`} tone="accent">
          {place}
        </Badge>
      ))}
      {others > 0 && <Badge tone="accent">{t('settings.reach.more', { count: others })}</Badge>}
    </>
  )
}

/** The names of the workspaces and agents; undefined if the credential is bound to none. */
export function placesOf(reach: ReachBadgesProps['reach']): readonly string[] | undefined {
  if (reach === null) return undefined
  const named = (kind: 'workspace' | 'agent', name: string | null) =>
    t(`settings.reach.${kind}`, { name: name ?? t('settings.reach.unknown') })
  return [
    ...reach.workspaces.map(({ name }) => named('workspace', name)),
    ...reach.agents.map(({ name }) => named('agent', name)),
  ]
}
