import { expect } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import type { Acknowledged } from './chat-traffic.ts'

/**
 * Checks that every acknowledged turn is stored, and that messages in every session are numbered
 * from 1 without gaps.
 */
export async function expectAllStored(
  db: Database,
  acknowledged: readonly Omit<Acknowledged, 'at'>[],
): Promise<void> {
  // In one unit, for a consistent state.
  const { sessions, messages } = await db.write(async (tx) => ({
    sessions: await tx.selectFrom('chat_sessions').select(['id', 'message_count']).execute(),
    messages: await tx
      .selectFrom('chat_messages')
      .select(['session_id', 'seq', 'role', 'content'])
      .orderBy('session_id')
      .orderBy('seq')
      .execute(),
  }))
  const bySession = Map.groupBy(messages, (message) => message.session_id)
  for (const { id, message_count } of sessions) {
    const numbers = (bySession.get(id) ?? []).map(({ seq }) => seq)
    expect(numbers, `session ${id}`).toEqual(
      Array.from({ length: message_count }, (_, index) => index + 1),
    )
  }
  const lost = acknowledged.filter(({ sessionId, said, answer }) => {
    const stored = bySession.get(sessionId) ?? []
    const at = stored.findIndex(({ role, content }) => role === 'user' && content === said)
    const next = stored[at + 1]
    return at === -1 || next?.role !== 'assistant' || next.content !== answer
  })
  expect(lost, 'acknowledged turns that are missing').toEqual([])
}
