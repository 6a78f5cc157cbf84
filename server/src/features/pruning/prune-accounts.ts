import { z } from 'zod'
import { recordSystemEvent } from '#features/audit/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import {
  deleteAccount,
  listAccounts,
  listUnusedAccounts,
  markAccounts,
  type Membership,
} from './account-store.ts'

type PruneContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

const accountsPerRead = 1000
/** Few, so that other units do not wait for one that marks them. */
const accountsPerUnit = 200

/**
 * Deletes accounts that have belonged to no workspace for some days. Only those that came in by an
 * invitation or an OpenID provider: an owner could make them grow without end by inviting and removing
 * people. An account that a key, an agent's version or an invitation names stays until these are gone,
 * and so do disabled ones and those that an operator created.
 */
export const pruneAccounts = defineJob({
  kind: 'accounts.prune',
  input: z.object({}),
  everyMs: dayMs,
  maxAtOnce: 1,
  run: (ctx: PruneContext, _input, { signal }) => pruneUnusedAccounts(ctx, signal),
})

async function pruneUnusedAccounts(ctx: PruneContext, signal: AbortSignal): Promise<void> {
  const { unusedAccountDays: days } = ctx.config
  if (days === null) return
  await markAll(ctx, signal)
  const before = ctx.clock.now() - days * dayMs
  let deleted = 0
  for (let after = ''; !signal.aborted;) {
    const ids = await listUnusedAccounts(ctx.db.scan, before, after, accountsPerUnit)
    for (const id of ids) if (await prune(ctx, id, before)) deleted += 1
    const last = ids.at(-1)
    if (last === undefined || ids.length < accountsPerUnit) break
    after = last
  }
  if (deleted > 0) ctx.log.info({ deleted }, 'deleted accounts that belonged to no workspace')
}

/** Notes which accounts have left their last workspace, and which belong to one again. */
async function markAll({ db, clock }: PruneContext, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted;) {
    const accounts = await listAccounts(db.scan, after, accountsPerRead)
    const moved = accounts.filter(({ is_marked, is_member }) => is_marked === is_member)
    for (const membership of ['left', 'joined'] as const satisfies readonly Membership[]) {
      const ids = moved
        .filter(({ is_member }) => (is_member === 0) === (membership === 'left'))
        .map(({ id }) => id)
      for (let at = 0; at < ids.length; at += accountsPerUnit) {
        const some = ids.slice(at, at + accountsPerUnit)
        await db.write((tx) => markAccounts(tx, some, membership, clock.now()))
      }
    }
    const last = accounts.at(-1)
    if (last === undefined || accounts.length < accountsPerRead) return
    after = last.id
  }
}

async function prune({ db, clock }: PruneContext, id: string, before: number): Promise<boolean> {
  return await db.write(async (tx) => {
    const email = await deleteAccount(tx, id, before)
    if (email === null) return false
    const detail = { email }
    await recordSystemEvent(tx, clock.now(), {
      workspaceId: null,
      action: pruneAccounts.kind,
      target: id,
      detail,
    })
    return true
  })
}
