import { listUnboundAgents, openVariables, setSecretHosts } from '#features/variables/index.ts'
import type { Context } from '#platform/context.ts'
import { readPortableActions } from './read-actions.ts'
import { hostsByVariable } from './secret-use.ts'

/**
 * Gives secrets that were stored before hosts were required the hosts of the actions that use them.
 * A secret whose actions name no host gets none: it is not sent until its hosts are set. `doctor` lists
 * these, and those whose actions do not all name their host.
 *
 * @returns how many secrets got hosts, and how many none
 */
export async function bindSecrets(
  ctx: Pick<Context, 'db' | 'vault' | 'clock'>,
): Promise<{ readonly bound: number; readonly unbound: number }> {
  const total = { bound: 0, unbound: 0 }
  for (;;) {
    const [agentId] = await listUnboundAgents(ctx.db.read, 1)
    if (agentId === undefined) return total
    const done = await ctx.db.write(async (tx) => {
      const { byName } = await openVariables(ctx, tx, agentId)
      // An address may be a secret itself, as those of incoming webhooks are.
      const valueOf = (name: string) => byName.get(name)?.value.toString()
      const hosts = hostsByVariable(await readPortableActions(tx, agentId), valueOf)
      return await setSecretHosts(tx, agentId, ctx.clock.now(), (name) => hosts.get(name))
    })
    total.bound += done.bound
    total.unbound += done.unbound
  }
}
