import { Link, type LinkProps } from '@tanstack/react-router'
import type { ItemOf } from '#api/call-operation.ts'
import { t } from '#texts/t.ts'
import { Unnamed } from './record-id.tsx'

type NamedRecord = NonNullable<ItemOf<'list_jobs'>['record']>

export interface RecordLinkProps {
  readonly record: NamedRecord | null
  /** Shown if the record is gone or has no name. */
  readonly target: string | null
}

/** The record that an entry is about, with a link to its page if it has one. */
export function RecordLink({ record, target }: RecordLinkProps) {
  if (record === null) return target === null ? null : <Unnamed target={target} />
  const name = nameOf(record)
  const page = pageOf(record)
  if (page === null) return <span className="break-words">{name}</span>
  return (
    <Link {...page} className="break-words text-accent underline underline-offset-2">
      {name}
    </Link>
  )
}

/** Such as: Source “Opening hours”. */
export function nameOf({ kind, name }: NamedRecord): string {
  return t('settings.records.named', { kind: t(`settings.records.kinds.${kind}`), name })
}

/** Null for a record of a deleted agent. */
function pageOf({
  kind,
  id,
  agent,
}: NamedRecord): Pick<LinkProps, 'to' | 'params' | 'search'> | null {
  if (kind === 'member' || kind === 'invitation') return { to: '/settings/members' }
  if (kind === 'workspace') return { to: '/settings/workspace' }
  if (kind === 'developer_key') return { to: '/settings/developer' }
  // A member's connected apps are on a page that only they see.
  if (agent === null || kind === 'connected_app') return null
  const params = { appId: agent }
  switch (kind) {
    case 'agent':
      return { to: '/agents/$appId', params }
    case 'source':
      return { to: '/agents/$appId/knowledge/$sourceId', params: { ...params, sourceId: id } }
    case 'action':
      return { to: '/agents/$appId/build/actions/$actionId', params: { ...params, actionId: id } }
    case 'tool_server':
      return { to: '/agents/$appId/build/servers', params }
    case 'product':
      return { to: '/agents/$appId/publish/catalog/products', params, search: { edit: id } }
    case 'order':
      return { to: '/agents/$appId/publish/catalog/orders', params, search: { order: id } }
    case 'webhook':
      return { to: '/agents/$appId/publish/catalog/webhooks', params }
    case 'conversation':
      return {
        to: '/agents/$appId/analytics/conversations/$sessionId',
        params: { ...params, sessionId: id },
      }
    case 'chat_key':
      return { to: '/agents/$appId/share/api', params }
    case 'checkout_key':
      return { to: '/agents/$appId/publish/catalog/keys', params }
  }
}
