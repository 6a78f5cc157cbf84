import type { Reader, Tx } from '#platform/db/database.ts'

/** The workspace for which a name is held that it gave up after `since`. */
export function findHolderOfSlug(reader: Reader, slug: string, since: number) {
  return reader
    .selectFrom('held_slugs')
    .select('workspace_id')
    .where('slug', '=', slug)
    .where('released_at', '>', since)
    .executeTakeFirst()
}

/** A step: a page has this name now. */
export async function freeSlug(tx: Tx, slug: string): Promise<void> {
  await tx.deleteFrom('held_slugs').where('slug', '=', slug).execute()
}

interface Held {
  readonly slug: string
  readonly workspaceId: string
  readonly now: number
  /** Names that were given up before are free. */
  readonly heldSince: number
  readonly most: number
}

/** A step: holds a name for its workspace, which keeps only its newest ones. */
export async function holdSlug(
  tx: Tx,
  { slug, workspaceId, now, heldSince, most }: Held,
): Promise<void> {
  await tx
    .insertInto('held_slugs')
    .values({ slug, workspace_id: workspaceId, released_at: now })
    .onConflict((conflict) =>
      conflict.column('slug').doUpdateSet({ workspace_id: workspaceId, released_at: now }),
    )
    .execute()
  const held = tx.selectFrom('held_slugs').where('workspace_id', '=', workspaceId)
  const beyond = await held
    .select(['slug', 'released_at'])
    .orderBy('released_at', 'desc')
    .orderBy('slug')
    .offset(most)
    // SQLite has no offset without a limit.
    .limit(1_000)
    .execute()
  const ended = await held.select('slug').where('released_at', '<=', heldSince).execute()
  const slugs = [...beyond, ...ended].map((row) => row.slug)
  if (slugs.length > 0) await tx.deleteFrom('held_slugs').where('slug', 'in', slugs).execute()
}
