import { requireRecordRoom } from '#features/quotas/index.ts'
import { z } from 'zod'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type { Cap } from './cap.ts'
import { deleteCap, isOfWorkspace, listCaps, upsertCap } from './cap-store.ts'
import { deleteWindows, limitWindows } from './window-store.ts'

export interface CapChange extends Omit<Cap, 'amountMicros'> {
  /** Null removes the cap. */
  readonly amountMicros: number | null
}

/**
 * Sets or removes a cap. The change applies to every turn that begins afterwards.
 *
 * @throws Fault record_not_found for an agent or key that is not the workspace's; limit_reached
 */
export async function setCreditCap(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  { subject, subjectId, period, amountMicros }: CapChange,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    await requireSubject(tx, workspaceId, { subject, subjectId })
    const now = ctx.clock.now()
    const place = { workspace_id: workspaceId, subject, subject_id: subjectId, period }
    if (amountMicros === null) {
      await deleteWindows(tx, place)
      await deleteCap(tx, place)
    } else {
      await upsertCap(tx, {
        ...place,
        id: newId(now),
        amount_micros: amountMicros,
        created_by: userId,
        created_at: now,
        updated_at: now,
      })
      await requireRecordRoom(tx, ctx, 'credit_caps_per_workspace', workspaceId, 0)
      await limitWindows(tx, place, amountMicros)
    }
  })
}

async function requireSubject(
  reader: Reader,
  workspaceId: string,
  { subject, subjectId }: Pick<Cap, 'subject' | 'subjectId'>,
): Promise<void> {
  if (subject === 'workspace' || subject === 'end_user') return
  if (await isOfWorkspace(reader, workspaceId, subject, subjectId)) return
  throw new Fault(commonFaults.record_not_found)
}

const place = z.tuple([z.string(), z.string(), z.string()])

/** A page of a workspace's caps, by subject. */
export async function listCreditCaps(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Cap>> {
  const after = readCursor(cursor, place)
  const rows = await listCaps(ctx.db.read, workspaceId, { limit: limit + 1, after })
  return pageOf(rows, limit, {
    key: ({ subject, subjectId, period }): z.output<typeof place> => [subject, subjectId, period],
    item: (cap) => cap,
  })
}
