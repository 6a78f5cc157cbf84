import type { Actor, Surface } from '#kernel/actor.ts'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { databaseOf, signEvent } from './signed-database.ts'
import { insertEvent } from './store.ts'

type Facts = Readonly<Record<string, unknown>>

interface Described {
  /** The name of an operation, the kind of a job, or another action. */
  readonly action: string
  /** More facts, such as the reason of a refusal. The caller masks secrets. */
  readonly detail?: Facts
}

interface Changed {
  /** Null for an event outside any workspace. */
  readonly workspaceId: string | null
  /** The id of the record acted on. */
  readonly target: string | null
  /** The changed fields, before and after. The caller masks secrets. */
  readonly before?: Facts | null
  readonly after?: Facts | null
}

interface AuditEvent extends Described, Changed {
  readonly actor: Actor
  readonly outcome: 'done' | 'refused'
}

/** An action of the service itself: a job, or a rule that an operator set. */
interface SystemEvent extends Described, Changed {
  readonly detail: Facts
}

/** A refusal to a caller without a valid credential; the key that they tried may be known. */
interface StrangerEvent extends Described {
  readonly surface: Surface | 'chat' | 'acp'
  readonly workspaceId?: string
  readonly target?: string | null
  readonly requestId?: string | undefined
  readonly address?: string | null
}

/** A step: joins the caller's unit, which commits the change and its event together. */
export async function recordEvent(tx: Tx, now: number, event: AuditEvent): Promise<void> {
  const { actor, outcome } = event
  await insert(tx, now, event, {
    user_id: actor.userId,
    face: actor.surface,
    via_kind: actor.via?.kind ?? null,
    via_id: actor.via?.id ?? null,
    client: actor.via?.client ?? null,
    outcome,
    address: actor.address ?? null,
    request_id: actor.requestId ?? null,
  })
}

const noCredential = { user_id: null, via_kind: null, via_id: null, client: null } as const

/** A step: joins the caller's unit. The event has no actor; its surface is `job`. */
export async function recordSystemEvent(tx: Tx, now: number, event: SystemEvent): Promise<void> {
  const who = { face: 'job', outcome: 'done', address: null, request_id: null } as const
  await insert(tx, now, event, { ...noCredential, ...who })
}

/** A step: records a refusal without an actor, and without a workspace unless the event names one. */
export async function recordStranger(tx: Tx, now: number, event: StrangerEvent): Promise<void> {
  const { surface: face, address = null, requestId = null, workspaceId = null } = event
  const who = { ...noCredential, face, outcome: 'refused', address, request_id: requestId } as const
  await insert(tx, now, { ...event, workspaceId, target: event.target ?? null }, who)
}

type EventRow = Parameters<typeof insertEvent>[2]
type Who = Pick<EventRow, keyof typeof noCredential | 'face' | 'outcome' | 'address' | 'request_id'>

async function insert(tx: Tx, now: number, event: Described & Changed, who: Who): Promise<void> {
  const row = {
    ...who,
    id: newId(now),
    workspace_id: event.workspaceId,
    action: event.action,
    target: event.target,
    detail_json: jsonOf(event.detail),
    before_json: jsonOf(event.before),
    after_json: jsonOf(event.after),
    created_at: now,
  }
  await insertEvent(databaseOf(tx), tx, { ...row, mac: signEvent(tx, row) })
}

function jsonOf(facts: Facts | null | undefined): string | null {
  return facts === undefined || facts === null ? null : JSON.stringify(facts)
}
