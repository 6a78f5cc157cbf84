import type { Author } from '#features/agents/index.ts'
import { noteEmptyIndex } from '#features/full-text/index.ts'
import { cliActor, ensureOwner } from '#features/identity/index.ts'
import type { Context } from '#platform/context.ts'
import { ensureDemoAgent } from './demo-agent.ts'

/**
 * Creates the owner, a workspace and the demo agent in an empty database.
 *
 * @returns the owner, and the token of the one-time set-up link if there is one to print
 */
export async function initialise(ctx: Context, options: { readonly printsLink: boolean }) {
  const ensured = await ensureOwner(ctx, { withLink: options.printsLink })
  const { userId, workspaceId } = ensured ?? (await cliActor(ctx))
  const owner: Author = { userId, workspaceId }
  await noteEmptyIndex(ctx)
  await ensureDemoAgent(ctx, owner)
  return { owner, setupToken: ensured?.setup?.token ?? null }
}
