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
