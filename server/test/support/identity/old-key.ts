import { sql } from 'kysely'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { newId } from '#kernel/ids.ts'
import { mintToken, tokenPrefixes } from '#kernel/tokens.ts'
import { actorOf, type Person, type TestInstance } from '#test/support/test-instance.ts'

type Instance = Pick<TestInstance, 'ctx'>

/**
 * A key as an earlier release created it: without a checksum, and with no value in later columns.
 *
 * @param agentId of a chat key; a developer key has none
 */
export async function insertOldKey(
  { ctx }: Instance,
  { userId, workspaceId }: Person,
  agentId: string | null,
): Promise<{ readonly id: string; readonly token: string }> {
  const isChat = agentId !== null
  const prefix = isChat ? tokenPrefixes.chatKey : tokenPrefixes.developerKey
  const { token, hash, last4 } = mintToken(prefix)
  const now = ctx.clock.now()
  const id = newId(now)
  const what = sql.join([isChat ? 'chat' : 'developer', 'old', isChat ? null : '*'])
  await ctx.db.write(async (tx) => {
    await sql`
      insert into api_keys (
        id, hash, last4, workspace_id, user_id, agent_id, created_at, kind, name, scopes)
      values (${id}, ${hash}, ${last4}, ${workspaceId}, ${userId}, ${agentId}, ${now}, ${what})
    `.execute(tx)
  })
  return { id, token }
}

/** The entry of a key in a list of keys. */
export async function listedKey(
  { ctx }: Instance,
  person: Person,
  list: { readonly operation: string; readonly input?: object },
  id: string,
): Promise<unknown> {
  const operation = findOperation(list.operation)
  if (operation === undefined) throw new Error(`no operation ${list.operation}`)
  const answer = await runOperation(ctx, actorOf(person), operation, list.input ?? {})
  const { items } = answer as { items: readonly { id: string }[] } // A list of keys.
  return items.find((item) => item.id === id)
}
