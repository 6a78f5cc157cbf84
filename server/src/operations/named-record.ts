import { z } from 'zod'
import { nameRecords, recordKinds } from '#features/record-names/index.ts'
import type { Page } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'

const named = z.strictObject({
  kind: z.enum(recordKinds),
  id: z.string(),
  name: z.string(),
  agent: z.string().nullable().describe('app_name_id of its agent'),
})

/** The record that an entry of a log is about, if it still exists. */
export const namedRecord = named
  .nullable()
  .describe('What the target is called; null if it is gone or has no name')

/** The records whose ids are among the values of an entry, by id. */
export const mentionedRecords = z
  .record(z.string(), named)
  .describe('What the records are called whose ids are among the values; those that still exist')

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

const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** The most ids whose names are looked up for a page of entries. */
const mostMentioned = 500

/**
 * Adds to each entry of a page the record that its target is, and those whose ids are among the
 * values that `valuesOf` returns.
 */
export async function withMentions<Entry extends { readonly target: string | null }>(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  page: Page<Entry>,
  valuesOf: (entry: Entry) => unknown,
) {
  const entries = page.items.map((entry) => ({
    entry,
    ids: JSON.stringify(valuesOf(entry)).match(uuids) ?? [],
  }))
  const targets = page.items.map(({ target }) => target)
  const ids = new Set([...targets, ...entries.flatMap((one) => one.ids)])
  const records = await nameRecords(ctx, workspaceId, [...ids].slice(0, mostMentioned))
  const items = entries.map(({ entry, ids }) => ({
    ...entry,
    record: records.get(entry.target ?? '') ?? null,
    mentions: Object.fromEntries(
      ids.flatMap((id) => {
        const record = records.get(id)
        return record === undefined ? [] : [[id, record]]
      }),
    ),
  }))
  return { ...page, items }
}
