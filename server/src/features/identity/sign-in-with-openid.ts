import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { OpenIdPerson } from '#platform/openid/openid-provider.ts'
import { addAccount } from './create-user.ts'
import { requireEmail } from './email.ts'
import { identityFaults } from './identity-faults.ts'
import { recordPersonal } from './record-personal.ts'
import type { NewSession, Visitor } from './session.ts'
import { mintSession, openSession } from './sessions.ts'
import { findIdentityUser, findUserRow, linkIdentity, type UserRow } from './store.ts'

type Ground = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * Signs in somebody whom the operator's OpenID provider vouches for. They are known by the
 * provider's subject; at their first sign-in an account of the same, verified, e-mail becomes
 * theirs. Who has no account gets one only where the operator lists their e-mail's domain.
 *
 * @throws Fault person_unknown, email_unverified, email_invalid
 */
export async function signInWithOpenId(
  ctx: Ground,
  person: OpenIdPerson,
  visitor: Visitor,
): Promise<NewSession> {
  const minted = mintSession()
  return await ctx.db.write(async (tx) => {
    const user = await recognise(tx, ctx, person)
    await recordPersonal(tx, ctx.clock.now(), user.id, 'sign_in')
    return await openSession(tx, ctx, { user, method: 'openid', minted, visitor })
  })
}

type Known = Pick<UserRow, 'id' | 'email' | 'name'>

async function recognise(tx: Tx, ctx: Ground, person: OpenIdPerson): Promise<Known> {
  const known = await findIdentityUser(tx, person.issuer, person.subject)
  if (known !== undefined) return known
  const email = requireVerifiedEmail(person)
  const user = (await findUserRow(tx, email)) ?? (await signUp(tx, ctx, email, person.name))
  const { issuer, subject } = person
  const created_at = ctx.clock.now()
  await linkIdentity(tx, { issuer, subject, user_id: user.id, created_at })
  return user
}

/** An e-mail that the provider did not check could be anybody's, a colleague's too. */
function requireVerifiedEmail({ email, emailVerified }: OpenIdPerson): string {
  if (email === null || !emailVerified) throw new Fault(identityFaults.email_unverified)
  return requireEmail(email)
}

async function signUp(tx: Tx, ctx: Ground, email: string, name: string | null): Promise<Known> {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isWelcome = ctx.config.oidcSignUpDomains.some((listed) => listed.toLowerCase() === domain)
  if (!isWelcome) throw new Fault(identityFaults.person_unknown)
  const account = { email, passwordHash: null, name: name ?? undefined }
  return (await addAccount(tx, ctx, account)).user
}
