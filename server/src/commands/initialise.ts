import type { Author } from '#features/agents/index.ts'
import { noteEmptyIndex } from '#features/full-text/index.ts'
import { cliActor, ensureOwner } from '#features/identity/index.ts'
import type { Context } from '#platform/context.ts'
import { ensureDemoAgent } from './demo-agent.ts'

export interface Initialised {
  readonly owner: Author
  /** The token of the owner's one-time set-up link; null when there is nothing to print. */
  readonly setupToken: string | null
}

/** Gives an empty database its owner, workspace and demo agent; any other is left as it is. */
export async function initialise(
  ctx: Context,
  options: { readonly printsLink: boolean },
): Promise<Initialised> {
  const ensured = await ensureOwner(ctx, { withLink: options.printsLink })
  const { userId, workspaceId } = ensured ?? (await cliActor(ctx))
  const owner = { userId, workspaceId }
  await noteEmptyIndex(ctx)
  await ensureDemoAgent(ctx, owner)
  return { owner, setupToken: ensured?.setup?.token ?? null }
}
