import { z } from 'zod'
import { nameRecords, recordKinds } from '#features/record-names/index.ts'
import type { Page } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'

/** The record that an entry of a log is about, if it still exists. */
export const namedRecord = z
  .strictObject({
    kind: z.enum(recordKinds),
    id: z.string(),
    name: z.string(),
    agent: z.string().nullable().describe('app_name_id of its agent'),
  })
  .nullable()
  .describe('What the target is called; null if it is gone or has no name')

/** Adds to each entry of a page the record that its target is. */
export async function withRecords<Entry extends { readonly target: string | null }>(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  page: Page<Entry>,
) {
  const targets = page.items.map(({ target }) => target)
  const records = await nameRecords(ctx, workspaceId, targets)
  const items = page.items.map((entry) => ({
    ...entry,
    record: (entry.target === null ? undefined : records.get(entry.target)) ?? null,
  }))
  return { ...page, items }
}
