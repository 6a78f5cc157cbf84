import { addWorkspace } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireEmail } from './email.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword } from './password.ts'
import { insertUser } from './store.ts'
import { userFromRow, type User } from './user.ts'

interface NewUser {
  readonly email: string
  readonly password?: string | undefined
  /** The person's name; by default the part of the e-mail before the @. */
  readonly name?: string | undefined
}

interface NewAccount {
  readonly user: User
  /** The person's own workspace. */
  readonly workspaceId: string
}

/**
 * A new account with a workspace of its own, for an address that the operator vouches for.
 *
 * @throws Fault email_invalid, email_taken, password_length, password_guessable
 */
export async function createUser(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'workers'>,
  input: NewUser,
): Promise<NewAccount> {
  const email = requireEmail(input.email)
  const { password, name } = input
  const passwordHash =
    password === undefined ? null : await hashNewPassword(ctx, password, { email, name })
  return ctx.db.write((tx) => addAccount(tx, ctx, { email, passwordHash, name, proof: 'operator' }))
}

/** The name of a person's own workspace. */
export function firstWorkspaceOf(name: string): string {
  return `${name}'s workspace`
}

/** A step. @throws Fault email_taken */
export async function addAccount(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  input: NewPerson,
): Promise<NewAccount> {
  const now = ctx.clock.now()
  const user = await addPerson(tx, now, input)
  const workspace = await addWorkspace(tx, now, {
    ownerId: user.id,
    name: firstWorkspaceOf(user.name),
    plan: ctx.config.defaultPlan,
  })
  return { user, workspaceId: workspace.id }
}

interface NewPerson {
  readonly email: string
  readonly passwordHash: string | null
  readonly name?: string | undefined
  /** How the address is known to be theirs; an account exists for no other address. */
  readonly proof: 'mailbox' | 'provider' | 'operator'
}

/** A step: an account without a workspace of its own. @throws Fault email_taken */
export async function addPerson(tx: Tx, now: number, input: NewPerson): Promise<User> {
  const row = {
    id: newId(now),
    email: input.email,
    name: input.name?.trim() || input.email.replace(/@.*$/, ''),
    password_hash: input.passwordHash,
    email_proven: 1,
    email_proof: input.proof,
    disabled_at: null,
    created_at: now,
    updated_at: now,
  }
  if (!(await insertUser(tx, row))) throw new Fault(identityFaults.email_taken)
  return userFromRow(row)
}
