import { useSearch } from '@tanstack/react-router'
import { Download, ScrollText } from '#ui/icons.ts'
import { basePath } from '#api/base-path.ts'
import type { InputOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { endOfDay, startOfDay } from '#components/local-day.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/surfaces.tsx'
import { AuditEventRow } from './audit-event-row.tsx'
import { AuditFilters } from './audit-filters.tsx'
import type { AuditSearch } from '../settings-search.ts'

/** /settings/audit */
export function AuditPage() {
  const mayRead = useMay('admin')
  if (mayRead) return <AuditLog />
  return <PageHeading title={t('settings.audit.title')} hint={t('settings.audit.adminOnly')} />
}

function AuditLog() {
  const workspace = useWorkspace()
  const search = useSearch({ from: '/settings/audit' })
  const filter = { ...filterOf(search), workspace_id: workspace.id }
  const list = useOperationList('list_audit_events', { ...filter, limit: 100 })
  const isFiltered = Object.keys(filterOf(search)).length > 0
  const query = new URLSearchParams({ ...filter, format: 'csv' })
  return (
    <>
      <PageHeading
        title={t('settings.audit.title')}
        hint={t('settings.audit.hint')}
        actions={
          <Button render={<a href={`${basePath}/api/dashboard/audit-log?${query}`} download />}>
            <Download aria-hidden />
            {t('settings.audit.export')}
          </Button>
        }
      />
      <AuditFilters />
      <ListStates
        list={list}
        isEmpty={list.items.length === 0}
        empty={
          <EmptyState
            icon={ScrollText}
            title={t(isFiltered ? 'settings.audit.noneMatch' : 'settings.audit.empty')}
            hint={t(isFiltered ? 'settings.audit.noneMatchHint' : 'settings.audit.emptyHint')}
          />
        }
      >
        <Card className="py-2 sm:py-2">
          <VirtualList
            label={t('settings.audit.list')}
            items={list.items}
            keyOf={(event) => event.id}
            rowPixels={66}
            onEnd={list.onEnd}
          >
            {(event) => <AuditEventRow event={event} />}
          </VirtualList>
        </Card>
      </ListStates>
    </>
  )
}

type Filter = Pick<
  InputOf<'list_audit_events'>,
  'actor' | 'action' | 'target' | 'outcome' | 'from' | 'to'
>

/** Days in the reader's calendar as times for the service, including the whole last day. */
function filterOf({ from, to, ...rest }: AuditSearch): { [Key in keyof Filter]?: string } & Filter {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: startOfDay(from) }),
    ...(to === undefined ? {} : { to: endOfDay(to) }),
  }
}
