import { mintToken, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { acceptsPasswords } from './accepted-methods.ts'
import { addAccount } from './create-user.ts'
import { normalizeEmail } from './email.ts'
import { hashNewPassword } from './password.ts'
import { addSetupLink, type SetupLink } from './setup-link.ts'
import { findFirstSeat, findFirstUser, hasSetupLink } from './store.ts'

/** The owner's e-mail if none was configured; mail cannot reach it. */
export const unnamedOwner = 'owner@localhost'

interface EnsuredOwner {
  readonly userId: string
  readonly email: string
  readonly workspaceId: string
  /** True if this call created the account: the database was empty. */
  readonly created: boolean
  /** The one-time link for choosing a password; null if there is a password. */
  readonly setup: SetupLink | null
}

type OwnerContext = Pick<Context, 'db' | 'clock' | 'config' | 'workers'>

/**
 * Creates the owner of an empty database, from `OWNER_EMAIL` and `OWNER_PASSWORD` if they are set. An
 * owner without a password whose link has expired gets a new link. If several processes start at
 * once, one creates the owner and the others find it. With `SIGN_IN=openid` there is neither password
 * nor link: the owner is the person whose verified e-mail at the provider is `OWNER_EMAIL`.
 *
 * @param withLink false if no one would see the link: a later call then creates it
 * @returns what to print, once; null when there was nothing to do
 * @throws Fault password_length, password_guessable
 */
export async function ensureOwner(
  ctx: OwnerContext,
  { withLink = true }: { readonly withLink?: boolean } = {},
): Promise<EnsuredOwner | null> {
  const seen = await findFirstUser(ctx.db.read)
  const hasPasswords = acceptsPasswords(ctx.config)
  const isLinked = withLink && hasPasswords
  if (seen !== undefined && (seen.password_hash !== null || !isLinked)) return null
  // Before the unit: a unit touches nothing but the database and may run twice.
  const isNew = seen === undefined && hasPasswords
  const passwordHash = isNew ? await hashOwnerPassword(ctx) : null
  const link = isLinked ? mintToken('') : null
  return ctx.db.write(async (tx) => {
    const first = await findFirstUser(tx)
    if (first === undefined) return makeOwner(tx, ctx, passwordHash, link)
    return link === null ? null : renewLink(tx, ctx.clock.now(), first, link)
  })
}

async function hashOwnerPassword(ctx: OwnerContext): Promise<string | null> {
  const { ownerEmail, ownerPassword: password } = ctx.config
  const email = normalizeEmail(ownerEmail ?? unnamedOwner)
  return password === undefined ? null : await hashNewPassword(ctx, password, { email })
}

async function makeOwner(
  tx: Tx,
  ctx: OwnerContext,
  passwordHash: string | null,
  link: MintedToken | null,
): Promise<EnsuredOwner> {
  const email = normalizeEmail(ctx.config.ownerEmail ?? unnamedOwner)
  const { user, workspaceId } = await addAccount(tx, ctx, {
    email,
    passwordHash,
    proof: 'operator',
  })
  const needsLink = link !== null && !user.hasPassword
  const setup = needsLink ? await addSetupLink(tx, ctx.clock.now(), user, link) : null
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
  const setup = await addSetupLink(tx, now, owner, link)
  const { workspace_id: workspaceId } = seat
  return { userId: owner.id, email: owner.email, workspaceId, created: false, setup }
}
