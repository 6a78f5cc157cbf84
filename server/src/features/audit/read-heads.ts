import type { Context } from '#platform/context.ts'
import { findHead, listChains } from './chain-store.ts'
import type { ChainHead } from './verify-chain.ts'

/** The newest link of a workspace's chain, or with null of every chain. */
export async function* readHeads(
  { db }: Pick<Context, 'db'>,
  workspaceId: string | null,
): AsyncGenerator<ChainHead> {
  if (workspaceId !== null) {
    const head = await findHead(db.read, workspaceId)
    if (head !== undefined) yield headOf(head)
    return
  }
  for (let after = ''; ;) {
    const chains = await listChains(db.scan, after, chainsAtOnce)
    for (const chain of chains) {
      const head = await findHead(db.read, chain)
      if (head !== undefined) yield headOf(head)
    }
    const last = chains.at(-1)
    if (last === undefined || chains.length < chainsAtOnce) return
    after = last
  }
}

const chainsAtOnce = 500

function headOf({ chain, seq, link }: ChainHead): ChainHead {
  return { chain, seq, link }
}
