import { useNavigate, useSearch } from '@tanstack/react-router'
import { Cog } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card } from '#ui/surfaces.tsx'
import { JobRow } from './job-row.tsx'
import { jobsSearch, jobStatuses } from '../settings-search.ts'

/** The polling intervals with and without unfinished jobs. */
const refetchMs = 3000
const idleRefetchMs = 15_000

/** /settings/jobs */
export function JobsPage() {
  const workspace = useWorkspace()
  const { status } = useSearch({ from: '/settings/jobs' })
  const filter = status === undefined ? {} : { status }
  const list = useOperationList(
    'list_jobs',
    { ...filter, workspace_id: workspace.id, limit: 100 },
    { refetchInterval: (jobs) => (jobs.some(goesOn) ? refetchMs : idleRefetchMs) },
  )
  const empty = status === undefined ? 'empty' : 'noneMatch'
  return (
    <>
      <PageHeading title={t('settings.jobs.title')} hint={t('settings.jobs.hint')} />
      <StatusFilter />
      <ListStates
        list={list}
        isEmpty={list.items.length === 0}
        empty={
          <EmptyState
            icon={Cog}
            title={t(`settings.jobs.${empty}`)}
            hint={t(`settings.jobs.${empty}Hint`)}
          />
        }
      >
        <Card className="py-2 sm:py-2">
          <VirtualList
            label={t('settings.jobs.list')}
            items={list.items}
            keyOf={(job) => job.id}
            rowPixels={84}
            onEnd={list.onEnd}
          >
            {(job) => <JobRow job={job} />}
          </VirtualList>
        </Card>
      </ListStates>
    </>
  )
}

function goesOn({ status }: ItemOf<'list_jobs'>): boolean {
  return status === 'queued' || status === 'running'
}

/** The filter, which is kept in the URL. */
function StatusFilter() {
  const { status = 'all' } = useSearch({ from: '/settings/jobs' })
  const navigate = useNavigate()
  return (
    <Field label={t('settings.jobs.status')} className="mb-6 max-w-56">
      <Select
        choices={[
          { value: 'all', label: t('settings.jobs.allStatuses') },
          ...jobStatuses.map((value) => ({ value, label: t(`settings.jobs.statuses.${value}`) })),
        ]}
        value={status}
        onChange={(chosen) =>
          void navigate({
            to: '/settings/jobs',
            search: jobsSearch({ status: chosen }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </Field>
  )
}
