import type { ItemOf } from '#api/call-operation.ts'
import { Time } from '#components/time.tsx'
import { formatNext } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Badge } from '#ui/surfaces.tsx'
import { jobName } from './job-name.ts'
import { RecordLink } from '../record-link.tsx'

type Job = ItemOf<'list_jobs'>

const tones = { queued: 'neutral', running: 'accent', done: 'good', failed: 'bad' } as const

/** One job: what it does, its status and its last error. */
export function JobRow({ job }: { readonly job: Job }) {
  const progress = progressOf(job)
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-1 border-b border-line py-2.5 text-sm">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{jobName(job.kind)}</span>
          <Badge tone={tones[job.status]}>{t(`settings.jobs.statuses.${job.status}`)}</Badge>
        </p>
        {progress !== null && <p className="text-[0.8125rem] text-soft">{progress}</p>}
        {job.last_error !== null && (
          <p className="font-mono text-[0.8125rem] break-words text-bad">{job.last_error}</p>
        )}
        {job.target !== null && (
          <p className="text-[0.8125rem] text-soft">
            <RecordLink record={job.record} target={job.target} />
          </p>
        )}
      </div>
      <span className="text-[0.8125rem] text-soft">
        <Time value={job.created_at} />
      </span>
    </div>
  )
}

function progressOf({ status, attempts: count, next_run_at: next }: Job): string | null {
  if (status === 'failed') return t('settings.jobs.givenUp', { count })
  if (next === null) return null
  const when = formatNext(next)
  return count === 0 ? t('settings.jobs.due', { when }) : t('settings.jobs.again', { count, when })
}
