import { mintToken, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { addAccount, hashNewPassword } from './create-user.ts'
import { normalizeEmail } from './email.ts'
import { findFirstSeat, findFirstUser, hasSetupLink, insertSetupLink } from './store.ts'

/** Not an address that mail could reach: the owner of an instance that was given none. */
export const unnamedOwner = 'owner@localhost'
const setupLinkLifetimeMs = 24 * 60 * 60 * 1000

export interface EnsuredOwner {
  readonly userId: string
  readonly email: string
  readonly workspaceId: string
  /** True when the account was made now: the database was empty. */
  readonly created: boolean
  /** For the one-time link by which the owner chooses a password; null when there is a password. */
  readonly setup: { readonly token: string; readonly expiresAt: number } | null
}

export interface EnsureOptions {
  /** False where nobody would see it printed: the link is then made at a later call. */
  readonly withLink?: boolean
}

type OwnerContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * Gives an empty database its owner, from `OWNER_EMAIL` and `OWNER_PASSWORD` where they are set.
 * An owner who never chose a password and whose link ran out gets a new link. However many
 * processes start at once, one makes the owner and the others find it made.
 *
 * @returns what there is to print, once; null when there was nothing to do
 */
export async function ensureOwner(
  ctx: OwnerContext,
  { withLink = true }: EnsureOptions = {},
): Promise<EnsuredOwner | null> {
  const seen = await findFirstUser(ctx.db.read)
  if (seen !== undefined && (seen.password_hash !== null || !withLink)) return null
  // Made before the unit: a unit touches nothing but the database and may run twice.
  const passwordHash = seen === undefined ? await hashNewPassword(ctx.config.ownerPassword) : null
  const link = withLink ? mintToken('') : null
  return ctx.db.write(async (tx) => {
    const first = await findFirstUser(tx)
    if (first === undefined) return makeOwner(tx, ctx, passwordHash, link)
    return link === null ? null : renewLink(tx, ctx.clock.now(), first, link)
  })
}

async function makeOwner(
  tx: Tx,
  ctx: OwnerContext,
  passwordHash: string | null,
  link: MintedToken | null,
): Promise<EnsuredOwner> {
  const email = normalizeEmail(ctx.config.ownerEmail ?? unnamedOwner)
  const { user, workspaceId } = await addAccount(tx, ctx, { email, passwordHash })
  const needsLink = link !== null && !user.hasPassword
  const setup = needsLink ? await addSetupLink(tx, ctx.clock.now(), user.id, link) : null
  return { userId: user.id, email, workspaceId, created: true, setup }
}

async function renewLink(
  tx: Tx,
  now: number,
  owner: { id: string; email: string; password_hash: string | null },
  link: MintedToken,
): Promise<EnsuredOwner | null> {
  if (owner.password_hash !== null || (await hasSetupLink(tx, owner.id, now))) return null
  const seat = await findFirstSeat(tx, owner.id)
  if (seat === undefined) return null
  const setup = await addSetupLink(tx, now, owner.id, link)
  const { workspace_id: workspaceId } = seat
  return { userId: owner.id, email: owner.email, workspaceId, created: false, setup }
}

async function addSetupLink(tx: Tx, now: number, userId: string, { token, hash }: MintedToken) {
  const expiresAt = now + setupLinkLifetimeMs
  await insertSetupLink(tx, { hash, user_id: userId, created_at: now, expires_at: expiresAt })
  return { token, expiresAt }
}
