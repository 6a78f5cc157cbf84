import type { MessagePart } from '#features/turns/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { findQuestionRow } from './message-content-store.ts'

/** What somebody has asked, with the files of the message as they are stored. */
export interface Question {
  readonly text: string
  /** Null for a message that is text alone. */
  readonly parts: readonly MessagePart[] | null
}

/**
 * The caller must have checked that the conversation may be read.
 *
 * @throws Fault record_not_found
 */
export async function readQuestion(
  { db }: Pick<Context, 'db'>,
  of: { readonly conversationId: string; readonly messageId: string },
): Promise<Question> {
  const row = await findQuestionRow(db.read, of)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  const { content: text, parts_json: parts } = row
  // Only turns write this column, from parts of this type.
  return { text, parts: parts === null ? null : (JSON.parse(parts) as MessagePart[]) }
}
