import { ChevronRight } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { Time } from '#components/time.tsx'
import { t } from '#texts/t.ts'
import { Badge } from '#ui/surfaces.tsx'
import { AuditFacts } from './audit-facts.tsx'
import { nameOf, RecordLink } from './record-link.tsx'

type AuditEvent = ItemOf<'list_audit_events'>

type ExplanationPath =
  | 'settings.audit.omittedRefusals'
  | 'settings.audit.expiredEvents'
  | 'settings.audit.missingEvent'

/** Of actions that no operation has, and whose name alone does not say what happened. */
const explanations: ReadonlyMap<string, ExplanationPath> = new Map([
  ['omit_refusals', 'settings.audit.omittedRefusals'],
  ['audit.expire_events', 'settings.audit.expiredEvents'],
  ['audit.event_missing', 'settings.audit.missingEvent'],
])

/** One event. Its changes are collapsed. */
export function AuditEventRow({ event }: { readonly event: AuditEvent }) {
  const { actor, via, outcome } = event
  const explanation = explanations.get(event.action)
  return (
    <details className="group border-t border-line in-data-[index=0]:border-t-0 py-2.5 text-sm">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-1 rounded-lg [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className="size-4 shrink-0 text-soft transition-transform group-open:rotate-90"
          aria-hidden
        />
        <span className="min-w-0 flex-1 basis-56">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-mono font-medium break-all">{event.action}</span>
            {event.record !== null && <span className="break-words">{nameOf(event.record)}</span>}
            {outcome === 'refused' && (
              <Badge tone="bad">{t('settings.audit.outcomes.refused')}</Badge>
            )}
          </span>
          <span className="block text-[0.8125rem] break-all text-soft">
            {actor?.email ?? actor?.id ?? t('settings.audit.service')}
            {via !== null && ` ${t('settings.audit.via', { client: clientOf(event) })}`}
          </span>
          {explanation !== undefined && (
            <span className="block text-[0.8125rem]">{t(explanation)}</span>
          )}
        </span>
        <span className="pl-8 text-[0.8125rem] text-soft sm:pl-0">
          <Time value={event.at} />
        </span>
      </summary>
      <dl className="mt-3 grid gap-x-4 gap-y-1.5 pl-8 text-[0.8125rem] sm:grid-cols-[8rem_1fr]">
        <Detail name={t('settings.audit.face')} value={event.face} />
        <Target event={event} />
        <Detail name={t('settings.audit.address')} value={event.address} />
        <Detail name={t('settings.audit.request')} value={event.request_id} />
        <AuditFacts name={t('settings.audit.before')} facts={event.before} event={event} />
        <AuditFacts name={t('settings.audit.after')} facts={event.after} event={event} />
        <AuditFacts name={t('settings.audit.detail')} facts={event.detail} event={event} />
      </dl>
    </details>
  )
}

/** The name of the app or key that was used. */
function clientOf({ via, mentions }: AuditEvent): string {
  const record = mentions[via?.id ?? '']
  return via?.client ?? (record === undefined ? (via?.kind ?? '') : nameOf(record))
}

function Target({ event: { record, target } }: { readonly event: AuditEvent }) {
  if (target === null) return null
  return (
    <>
      <dt className="text-soft">{t('settings.audit.targetName')}</dt>
      <dd className="break-all">
        {record !== null && (
          <>
            <RecordLink record={record} target={target} />{' '}
          </>
        )}
        <span className="font-mono text-soft">{target}</span>
      </dd>
    </>
  )
}

function Detail({ name, value }: { readonly name: string; readonly value: string | null }) {
  if (value === null) return null
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="font-mono break-all">{value}</dd>
    </>
  )
}
