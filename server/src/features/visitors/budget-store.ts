import type { Tx } from '#platform/db/database.ts'

/** A step: takes up to `wanted` messages of a day's budget. @returns how many it took */
export async function takeMessages(
  tx: Tx,
  {
    agentId,
    day,
    budget,
    wanted,
  }: {
    readonly agentId: string
    readonly day: number
    readonly budget: number
    readonly wanted: number
  },
): Promise<number> {
  const row = await tx
    .selectFrom('chat_page_budgets')
    .select(['day', 'messages'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  const used = row?.day === day ? row.messages : 0
  const taken = Math.max(0, Math.min(wanted, budget - used))
  if (taken === 0) return 0
  const messages = used + taken
  await tx
    .insertInto('chat_page_budgets')
    .values({ agent_id: agentId, day, messages })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet({ day, messages }))
    .execute()
  return taken
}
