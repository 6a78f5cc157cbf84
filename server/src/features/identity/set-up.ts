import { renameOwned } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { requirePasswords } from './accepted-methods.ts'
import type { Reader } from '#platform/db/database.ts'
import { requireEmail } from './email.ts'
import { firstWorkspaceOf } from './create-user.ts'
import { unnamedOwner } from './ensure-owner.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword, requirePasswordLength } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import { deleteSessions } from './session-store.ts'
import { openSession, type SignInResult, type Visitor } from './sessions.ts'
import { findSetupLink, findUserRow, findUserRowById, spendSetupLink, updateUser } from './store.ts'

interface ShownSetupLink {
  /** The account's address; null if its holder, the instance's first owner, enters one. */
  readonly email: string | null
  readonly name: string
}

/** @throws Fault setup_link_invalid */
export async function readSetupLink(
  ctx: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<ShownSetupLink> {
  return await requireLink(ctx.db.read, token, ctx.clock.now())
}

interface Typed {
  /** Ignored unless the link's account has no address yet: the operator vouched for that address. */
  readonly email: string
  readonly name: string
  readonly password: string
}

/**
 * The holder of a one-time link enters their name and chooses a password. The link works once, even if
 * two requests use it at the same time. Input that is refused leaves the link usable.
 *
 * @throws Fault passwords_off, setup_link_invalid, email_invalid, email_taken, password_length,
 *   password_guessable
 */
export async function completeSetup(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'workers'>,
  token: string,
  given: Typed,
  visitor: Visitor,
): Promise<SignInResult> {
  requirePasswords(ctx.config)
  requirePasswordLength(given.password)
  // Before the costly check and hash, so that a spent link cannot be used to overload the server.
  const link = await readSetupLink(ctx, token)
  const typed = link.email === null ? requireEmail(given.email) : null
  const known = { email: typed ?? link.email ?? '', name: given.name }
  const password_hash = await hashNewPassword(ctx, given.password, known)
  const minted = mintToken('')
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const email = typed ?? (await requireLink(tx, token, now)).email
    const userId = await spendSetupLink(tx, hashToken(token), now)
    if (userId === null || email === null) throw new Fault(identityFaults.setup_link_invalid)
    const name = given.name.trim() || email.replace(/@.*$/, '')
    const holder = await findUserRow(tx, email)
    const before = await findUserRowById(tx, userId)
    if (holder !== undefined && holder.id !== userId) throw new Fault(identityFaults.email_taken)
    await updateUser(tx, userId, { email, name, password_hash, updated_at: now })
    // The workspace got its name before the person had one.
    const from = firstWorkspaceOf(before?.name ?? '')
    await renameOwned(tx, userId, { from, to: firstWorkspaceOf(name), now })
    await deleteSessions(tx, userId, null)
    await recordPersonal(tx, now, userId, 'set_up', visitor)
    const user = { id: userId, email, name }
    return await openSession(tx, ctx, { user, method: 'setup', minted, visitor })
  })
}

async function requireLink(reader: Reader, token: string, now: number): Promise<ShownSetupLink> {
  const link = await findSetupLink(reader, hashToken(token), now)
  if (link === undefined) throw new Fault(identityFaults.setup_link_invalid)
  return link.email === unnamedOwner ? { email: null, name: '' } : link
}
