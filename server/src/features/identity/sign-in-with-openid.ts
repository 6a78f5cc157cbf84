import { endDeveloperKeys } from '#features/api-keys/index.ts'
import { endGrants } from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { OpenIdPerson } from '#platform/openid/openid-provider.ts'
import { addAccount, addPerson } from './create-user.ts'
import { requireEmail } from './email.ts'
import { identityFaults } from './identity-faults.ts'
import { recordPersonal } from './record-personal.ts'
import type { NewSession, Visitor } from './session.ts'
import { deleteSessions } from './session-store.ts'
import { mintSession, openSession } from './sessions.ts'
import {
  claimEmail,
  findIdentityUser,
  findUserRow,
  hasIdentity,
  linkIdentity,
  type UserRow,
} from './store.ts'

type SignInContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * Signs in somebody whom the operator's OpenID provider vouches for. They are known by the
 * provider's subject; at their first sign-in an account of the same, verified, e-mail becomes
 * theirs, unless the provider knew somebody else for it before. Who has no account gets one only where the operator lists their e-mail's domain, or where
 * they come with an invitation.
 *
 * @param admit whether somebody without an account may have one, and what is then done with it
 * @throws Fault person_unknown, person_replaced, email_unverified, email_invalid
 */
export async function signInWithOpenId(
  ctx: SignInContext,
  person: OpenIdPerson,
  visitor: Visitor,
  admit?: Admit,
): Promise<NewSession> {
  const minted = mintSession()
  return await ctx.db.write(async (tx) => {
    const user = await recognise(tx, ctx, person, admit)
    await recordPersonal(tx, ctx.clock.now(), user.id, 'sign_in', visitor)
    return await openSession(tx, ctx, { user, method: 'openid', minted, visitor })
  })
}

/** A step. @returns null for who may not come in, else a step that is done with their new account */
export type Admit = (
  tx: Tx,
  email: string,
) => Promise<((user: { readonly id: string; readonly email: string }) => Promise<void>) | null>

type Known = Pick<UserRow, 'id' | 'email' | 'name'>

async function recognise(
  tx: Tx,
  ctx: SignInContext,
  person: OpenIdPerson,
  admit: Admit | undefined,
): Promise<Known> {
  const known = await findIdentityUser(tx, person.issuer, person.subject)
  if (known !== undefined) return known
  const email = requireVerifiedEmail(person)
  const created_at = ctx.clock.now()
  const found = await findUserRow(tx, email)
  if (found !== undefined) {
    await requireUnlinked(tx, found, person)
    await secureAccount(tx, created_at, found)
  }
  const user = found ?? (await signUp(tx, ctx, { email, name: person.name }, admit))
  const { issuer, subject } = person
  await linkIdentity(tx, { issuer, subject, user_id: user.id, created_at })
  return user
}

/** An e-mail that the provider did not check could be anybody's, a colleague's too. */
function requireVerifiedEmail({ email, emailVerified }: OpenIdPerson): string {
  if (email === null || !emailVerified) throw new Fault(identityFaults.email_unverified)
  return requireEmail(email)
}

/**
 * An address that changes hands takes no account along (OpenID Connect Core §5.7): the provider
 * knows another person for this one.
 */
async function requireUnlinked(
  tx: Tx,
  { id }: Pick<UserRow, 'id'>,
  { issuer }: OpenIdPerson,
): Promise<void> {
  if (await hasIdentity(tx, issuer, id)) throw new Fault(identityFaults.person_replaced)
}

/**
 * Somebody else may have made an account of an e-mail that nothing showed to be theirs, and waited
 * for its owner: whatever they could come back by ends before the owner moves in.
 */
async function secureAccount(tx: Tx, now: number, { id }: Pick<UserRow, 'id'>): Promise<void> {
  if (!(await claimEmail(tx, id, now))) return
  await deleteSessions(tx, id, null)
  await endDeveloperKeys(tx, { userId: id }, now)
  await endGrants(tx, { userId: id }, now)
  await recordPersonal(tx, now, id, 'secure_account')
}

async function signUp(
  tx: Tx,
  ctx: SignInContext,
  { email, name }: { readonly email: string; readonly name: string | null },
  admit: Admit | undefined,
): Promise<Known> {
  const account = { email, passwordHash: null, name: name ?? undefined }
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isWelcome = ctx.config.oidcSignUpDomains.some((listed) => listed.toLowerCase() === domain)
  const invited = (await admit?.(tx, email)) ?? null
  if (invited !== null) {
    const user = await addPerson(tx, ctx.clock.now(), { ...account, isProven: true })
    await invited(user)
    return user
  }
  if (!isWelcome) throw new Fault(identityFaults.person_unknown)
  return (await addAccount(tx, ctx, account)).user
}
