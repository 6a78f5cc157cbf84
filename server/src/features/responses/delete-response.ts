import { deleteSession } from '#features/analytics/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { responseFaults } from './response-faults.ts'
import { deleteResponseRow, findResponseRow, hasResponses, type Place } from './response-store.ts'

/**
 * Deletes a response. Its messages stay as long as another response or a conversation that the caller
 * named has them; the last response of a session takes the session with it.
 *
 * @throws Fault response_unknown
 */
export async function deleteResponse(
  { db }: Pick<Context, 'db'>,
  place: Place,
  id: string,
): Promise<void> {
  const row = await findResponseRow(db.read, place, id)
  if (row === undefined) throw new Fault(responseFaults.response_unknown)
  const isLast = await db.write(async (tx) => {
    await deleteResponseRow(tx, place, id)
    return !(await hasResponses(tx, row.session_id))
  })
  // Only this feature writes it, from an object.
  const { conversation } = JSON.parse(row.request_json) as { readonly conversation?: unknown }
  if (isLast && conversation === undefined) await deleteSession(db, place, row.session_id)
}
