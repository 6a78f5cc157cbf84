import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { OpenIdPerson } from '#platform/openid/openid-provider.ts'
import { addAccount, addPerson } from './create-user.ts'
import { claimAccount } from './claim-account.ts'
import { openIdSessionHash } from './end-openid-sessions.ts'
import { requireEmail } from './email.ts'
import { identityFaults } from './identity-faults.ts'
import { recordPersonal } from './record-personal.ts'
import { isWhole, openSession, type SignInResult, type Visitor } from './sessions.ts'
import { findIdentityUser, findUserRow, hasIdentity, linkIdentity, type UserRow } from './store.ts'

type SignInContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * Signs in a person after the operator's OpenID provider has authenticated them, known by the provider's
 * subject. At their first sign-in they get the account with the same, verified e-mail, unless the
 * provider knew another person for it. A person without an account gets one only if the operator
 * lists their e-mail's domain, or by an invitation.
 *
 * @param admit decides whether a person without an account may have one
 * @throws Fault person_unknown, person_replaced, email_unverified, email_invalid, person_disabled
 */
export async function signInWithOpenId(
  ctx: SignInContext,
  person: OpenIdPerson,
  visitor: Visitor,
  admit?: Admit,
): Promise<SignInResult> {
  const minted = mintToken('')
  return await ctx.db.write(async (tx) => {
    const user = await recognise(tx, ctx, person, admit)
    const openIdSession = openIdSessionHash(person.issuer, person.sessionId)
    const now = ctx.clock.now()
    // A sign-in with an old session at the provider does not show that the person is there now.
    const confirmedAt = Math.min(now, person.authenticatedAt ?? now)
    const opened = await openSession(tx, ctx, {
      user,
      method: 'openid',
      openIdSession,
      minted,
      visitor,
      confirmedAt,
    })
    if (isWhole(opened)) await recordPersonal(tx, ctx.clock.now(), user.id, 'sign_in', visitor)
    return opened
  })
}

/** A step. @returns null to refuse, else a step to run with the new account */
type Admit = (
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
    // An account does not follow an e-mail to its next owner (OpenID Connect Core §5.7): the provider
    // already knows another person for this account.
    if (await hasIdentity(tx, person.issuer, found.id))
      throw new Fault(identityFaults.person_replaced)
    await claimAccount(tx, created_at, found, { proof: 'provider', passwordHash: null })
  }
  const user = found ?? (await signUp(tx, ctx, { email, name: person.name }, admit))
  const { issuer, subject } = person
  await linkIdentity(tx, { issuer, subject, user_id: user.id, created_at })
  return user
}

/** An e-mail that the provider did not verify could be another person's. */
function requireVerifiedEmail({ email, emailVerified }: OpenIdPerson): string {
  if (email === null || !emailVerified) throw new Fault(identityFaults.email_unverified)
  return requireEmail(email)
}

async function signUp(
  tx: Tx,
  ctx: SignInContext,
  { email, name }: { readonly email: string; readonly name: string | null },
  admit: Admit | undefined,
): Promise<Known> {
  const account = { email, passwordHash: null, name: name ?? undefined, proof: 'provider' } as const
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isWelcome = ctx.config.oidcSignUpDomains.some((listed) => listed.toLowerCase() === domain)
  const invited = (await admit?.(tx, email)) ?? null
  if (invited !== null) {
    const user = await addPerson(tx, ctx.clock.now(), account)
    await invited(user)
    return user
  }
  if (!isWelcome) throw new Fault(identityFaults.person_unknown)
  return (await addAccount(tx, ctx, account)).user
}
