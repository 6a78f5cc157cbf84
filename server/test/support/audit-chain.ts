import { sql } from 'kysely'
import { recordEvent, verifyChains, type ChainHead } from '#features/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { actorOf, type Person } from './test-instance.ts'

/** Records one event of a person, by default in their workspace. */
export async function recordChange(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  person: Person,
  n: number,
  workspaceId: string | null = person.workspaceId,
): Promise<void> {
  const event = { actor: actorOf(person), workspaceId, action: 'change', target: `record ${n}` }
  await db.write((tx) => recordEvent(tx, clock.now(), { ...event, detail: { n }, outcome: 'done' }))
}

/** What `parley audit verify` finds. */
export async function verifyLog(
  ctx: Pick<Context, 'db' | 'vault' | 'clock'>,
  only: string | null = null,
  known: readonly ChainHead[] = [],
) {
  const steps = await Array.fromAsync(verifyChains(ctx, only, known))
  return {
    problems: steps.flatMap((step) => ('problem' in step ? [step.problem] : [])),
    ends: steps.flatMap((step) => ('problem' in step ? [] : [step])),
  }
}

/** What someone with the database's password can do: first switch the triggers off. */
export async function tamper(
  { db }: Pick<Context, 'db'>,
  ...statements: readonly string[]
): Promise<void> {
  await db.write(async (tx) => {
    if (db.engine === 'postgres')
      await sql`alter table audit_events disable trigger user`.execute(tx)
    else
      for (const name of ['audit_events_stay', 'audit_events_stay_as_they_are'])
        await sql`drop trigger if exists ${sql.ref(name)}`.execute(tx)
  })
  await db.write(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
}
