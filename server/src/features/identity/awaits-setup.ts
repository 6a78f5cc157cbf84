import type { Context } from '#platform/context.ts'
import { firstSetup } from './store.ts'

/** Whether the instance's first owner has yet to use the set-up link that the start printed. */
export async function awaitsSetup({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const [first] = await db.prepared(firstSetup).read({})
  return first !== undefined && first.password_hash === null && first.unused_link !== null
}
