import type { ItemOf } from '#api/call-operation.ts'
import { ShortId } from '../record-id.tsx'
import { RecordLink } from '../record-link.tsx'

type AuditEvent = ItemOf<'list_audit_events'>

export interface AuditFactsProps {
  readonly name: string
  readonly facts: AuditEvent['before']
  readonly event: Pick<AuditEvent, 'mentions'>
}

const uuid = /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/

/** The values of an event, with the names of the records whose ids are among them. */
export function AuditFacts({ name, facts, event: { mentions } }: AuditFactsProps) {
  if (facts === null || Object.keys(facts).length === 0) return null
  const lines = Object.entries(facts).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
  // The odd parts are ids.
  const parts = lines.join('\n').split(uuid)
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd>
        <pre className="max-h-60 overflow-y-auto rounded-lg bg-quiet p-3 font-mono break-all whitespace-pre-wrap">
          {parts.map((part, at) =>
            at % 2 === 0 ? part : <Mention key={at} id={part} mentions={mentions} />,
          )}
        </pre>
      </dd>
    </>
  )
}

function Mention({ id, mentions }: Pick<AuditEvent, 'mentions'> & { readonly id: string }) {
  const record = mentions[id]
  if (record === undefined) return <ShortId id={id} />
  return (
    <span title={id} className="font-sans">
      <RecordLink record={record} target={id} />
    </span>
  )
}
