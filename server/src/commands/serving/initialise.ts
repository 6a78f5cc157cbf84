import { bindSecrets } from '#features/actions/index.ts'
import type { Author } from '#features/agents/index.ts'
import { cliActor, ensureOwner, identityFaults } from '#features/identity/index.ts'
import { isFault } from '#kernel/fault.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import type { Context } from '#platform/context.ts'
import { CommandFailure } from '#commands/command.ts'
import { ensureDemoAgent } from './demo-agent.ts'

/**
 * Creates the owner, a workspace and the demo agent in an empty database.
 *
 * @returns the owner, and the token of the one-time set-up link if there is one to print
 */
export async function initialise(ctx: Context, options: { readonly printsLink: boolean }) {
  const withLink = options.printsLink
  const ensured = await ensureOwner(ctx, { withLink }).catch(explainOwnerPassword)
  const { userId, workspaceId } = ensured ?? (await cliActor(ctx))
  const owner: Author = { userId, workspaceId }
  const { bound, unbound } = await bindSecrets(ctx)
  if (bound + unbound > 0)
    ctx.log.warn({ bound, unbound }, 'secrets got the hosts of their actions')
  await ensureDemoAgent(ctx, owner)
  return { owner, setupToken: ensured?.setup?.token ?? null }
}

/** A refused password leaves the database without an owner, so the next start checks it again. */
function explainOwnerPassword(error: unknown): never {
  const { password_length, password_guessable } = identityFaults
  if (isFault(error, password_length) || isFault(error, password_guessable))
    throw new CommandFailure(`OWNER_PASSWORD: ${faultMessage(error)}`, { cause: error })
  throw error
}
