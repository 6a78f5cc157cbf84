import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { sealLink } from './page-link.ts'
import { listOpenLinks, replaceLink } from './page-store.ts'

const rowsAtOnce = 200

/**
 * Seals the secret links that a version before stored in clear text, also those that its processes store
 * during a rolling upgrade. The links stay the same.
 */
export const sealLinks = defineJob({
  kind: 'visitors.seal_links',
  input: z.object({}),
  everyMs: 24 * 60 * 60_000,
  maxAtOnce: 1,
  async run({ db, vault }: Pick<Context, 'db' | 'vault'>, _input, { signal }): Promise<void> {
    for (let after = ''; !signal.aborted;) {
      const rows = await listOpenLinks(db.read, after, rowsAtOnce)
      for (const { agent_id: agentId, link_token: link } of rows) {
        // Sealed before the unit: a unit may run twice.
        const sealed = sealLink(vault, link)
        await db.write((tx) => replaceLink(tx, agentId, { link, sealed }))
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsAtOnce) return
      after = last.agent_id
    }
  },
})
