import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type EmailLinkRow = Schema['email_links']

export async function insertEmailLink(tx: Tx, row: Omit<EmailLinkRow, 'used_at'>): Promise<void> {
  await tx
    .insertInto('email_links')
    .values({ ...row, used_at: null })
    .execute()
}

/** A link that can still be used. */
export function findEmailLink(
  reader: Reader,
  purpose: EmailLinkRow['purpose'],
  hash: string,
  now: number,
): Promise<EmailLinkRow | undefined> {
  return reader
    .selectFrom('email_links')
    .selectAll()
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** @returns false when it was used or has expired, even at the same time */
export async function spendEmailLink(tx: Tx, hash: string, now: number): Promise<boolean> {
  const spent = await tx
    .updateTable('email_links')
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}

/** Ends a person's unused links, or only those of one purpose. */
export async function endEmailLinks(
  tx: Tx,
  userId: string,
  now: number,
  purpose?: EmailLinkRow['purpose'],
): Promise<void> {
  let query = tx
    .updateTable('email_links')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
  if (purpose !== undefined) query = query.where('purpose', '=', purpose)
  await query.execute()
}

export async function deleteExpiredEmailLinks(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('email_links').where('expires_at', '<=', now).execute()
}
