import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ChevronRight } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { CopyButton } from '#components/copy-button.tsx'
import { Time } from '#components/time.tsx'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { Badge } from '#ui/surfaces.tsx'
import { actionTitle } from './action-title.ts'
import { AuditFacts } from './audit-facts.tsx'
import { CopyId } from '../record-id.tsx'
import { nameOf, RecordLink } from '../record-link.tsx'

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
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const { actor, via, outcome, record } = event
  const explanation = explanations.get(event.action)
  return (
    <div className="border-t border-line in-data-[index=0]:border-t-0 py-2.5 text-sm">
      {/* The button covers the row. The link of the record is above it. */}
      <div className="relative flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1 basis-56 pl-8">
          <span className="flex flex-wrap items-center gap-x-2">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => setIsOpen(!isOpen)}
              className="cursor-pointer rounded-lg text-left font-medium break-words after:absolute after:inset-0"
            >
              <ChevronRight
                className={classNames(
                  'absolute top-0.5 left-0 size-4 text-soft transition-transform',
                  isOpen && 'rotate-90',
                )}
                aria-hidden
              />
              {actionTitle(event.action)}
            </button>
            {record !== null && (
              <span className="relative z-10">
                <RecordLink record={record} target={null} />
              </span>
            )}
            {outcome === 'refused' && (
              <Badge tone="bad">{t('settings.audit.outcomes.refused')}</Badge>
            )}
          </span>
          <span className="block text-[0.8125rem] break-all text-soft">
            {nameOfActor(actor)}
            {via !== null && ` ${t('settings.audit.via', { client: clientOf(event) })}`}
          </span>
          {explanation !== undefined && (
            <span className="block text-[0.8125rem]">{t(explanation)}</span>
          )}
        </span>
        <span className="pl-8 text-[0.8125rem] text-soft sm:pl-0">
          <Time value={event.at} />
        </span>
      </div>
      <div id={id}>{isOpen && <EventFacts event={event} />}</div>
    </div>
  )
}

function EventFacts({ event }: { readonly event: AuditEvent }) {
  return (
    <dl className="mt-3 grid gap-x-4 gap-y-1.5 pl-8 text-[0.8125rem] sm:grid-cols-[8rem_1fr]">
      <dt className="text-soft">{t('settings.audit.action')}</dt>
      <dd>
        <Link
          to="/settings/audit"
          search={{ action: event.action }}
          className="font-mono break-all text-accent underline underline-offset-2"
        >
          {event.action}
        </Link>
      </dd>
      <dt className="text-soft">{t('settings.audit.face')}</dt>
      <dd>{nameOfFace(event.face)}</dd>
      <Target event={event} />
      <Detail name={t('settings.audit.address')} value={event.address} />
      {event.request_id !== null && (
        <>
          <dt className="text-soft">{t('settings.audit.request')}</dt>
          <dd>
            <CopyButton text={event.request_id} label={t('settings.audit.request')} />
          </dd>
        </>
      )}
      <AuditFacts name={t('settings.audit.before')} facts={event.before} event={event} />
      <AuditFacts name={t('settings.audit.after')} facts={event.after} event={event} />
      <AuditFacts name={t('settings.audit.detail')} facts={event.detail} event={event} />
    </dl>
  )
}

const faces = ['dashboard', 'mcp', 'cli', 'chat', 'acp', 'job'] as const

/** A newer service may have ways in that this page does not know. */
function nameOfFace(face: string): string {
  const known = faces.find((one) => one === face)
  return known === undefined ? face : t(`settings.audit.faces.${known}`)
}

function nameOfActor(actor: AuditEvent['actor']): string {
  if (actor === null) return t('settings.audit.service')
  return actor.email ?? t('settings.audit.formerAccount')
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
      <dd className="flex flex-wrap items-center gap-2 break-words">
        <RecordLink record={record} target={target} />
        <CopyId id={target} />
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
