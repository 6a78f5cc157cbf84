import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { storedAddress } from './stored-address.ts'
import { listUnsealedAddresses, sealAddress } from './webhook-store.ts'

const rowsAtOnce = 200

/**
 * Seals the addresses that a version before stored in clear text, also those that its processes store
 * during a rolling upgrade. A killed process has sealed some of them, and the next run seals the others.
 */
export const sealAddresses = defineJob({
  kind: 'webhooks.seal_addresses',
  input: z.object({}),
  everyMs: 24 * 60 * 60_000,
  maxAtOnce: 1,
  async run({ db, vault }: Pick<Context, 'db' | 'vault'>, _input, { signal }): Promise<void> {
    for (let after = ''; !signal.aborted;) {
      const rows = await listUnsealedAddresses(db.read, after, rowsAtOnce)
      for (const { id, url } of rows) {
        // Sealed before the unit: a unit may run twice.
        const stored = storedAddress(vault, url)
        if (stored.url_sealed !== null) await db.write((tx) => sealAddress(tx, { id, ...stored }))
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsAtOnce) return
      after = last.id
    }
  },
})
