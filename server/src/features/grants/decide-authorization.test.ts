import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#kernel/durations.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { authorizeFlow, beginFlow, refusal } from '#test/support/identity/oauth-flow.ts'
import { authorize, deny, getPendingAuthorization } from './index.ts'

const clientId = 'svc_mcp_cli'

describeInstance('a request for consent', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await instance.person()
  })

  test('an expired request, after 5:00 minutes, can be neither seen nor answered', async () => {
    const { ticket } = await beginFlow(instance)
    instance.advance(5 * minuteMs - 1)
    expect((await getPendingAuthorization(instance.ctx, ticket)).scopes).toEqual(['*'])
    instance.advance(1)
    const expired = refusal('request_expired')
    await expect(getPendingAuthorization(instance.ctx, ticket)).rejects.toMatchObject(expired)
    await expect(authorize(instance.ctx, actorOf(ada), ticket, ['*'])).rejects.toMatchObject(
      expired,
    )
    await expect(deny(instance.ctx, actorOf(ada), ticket)).rejects.toMatchObject(expired)
  })

  test("consent of another browser's request: it is not there", async () => {
    const { ticket } = await beginFlow(instance)
    const thief = { ...ticket, browser: 'b'.repeat(43) }
    const unknown = refusal('request_unknown')
    await expect(getPendingAuthorization(instance.ctx, thief)).rejects.toMatchObject(unknown)
    await expect(authorize(instance.ctx, actorOf(ada), thief, ['*'])).rejects.toMatchObject(unknown)
  })

  test('consent replay and concurrent consent: of many answers one counts', async () => {
    const other = await instance.again()
    other.advance(instance.ctx.clock.now() - other.ctx.clock.now())
    const { ticket } = await beginFlow(instance)
    const answers = await Promise.allSettled([
      ...[instance, other, instance, other].map(({ ctx }) =>
        authorize(ctx, actorOf(ada), ticket, ['*']),
      ),
      deny(other.ctx, actorOf(ada), ticket),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject(refusal('request_answered'))
  })

  test('consent tampering: more than was requested is refused, and nothing is decided', async () => {
    const { ticket } = await beginFlow(instance, { scope: 'apps:read' })
    const actor = actorOf(ada)
    for (const granted of [['apps:write'], ['*'], ['apps:read', 'billing:read']] as const)
      await expect(authorize(instance.ctx, actor, ticket, granted)).rejects.toMatchObject(
        refusal('more_than_asked'),
      )
    await expect(authorize(instance.ctx, actor, ticket, [])).rejects.toMatchObject(
      refusal('nothing_granted'),
    )
    await authorize(instance.ctx, actor, ticket, ['apps:read'])
  })

  test('for a workspace that is not the person’s is refused', async () => {
    const bob = await instance.person()
    const { ticket } = await beginFlow(instance)
    const foreign = actorOf({ ...ada, workspaceId: bob.workspaceId })
    await expect(authorize(instance.ctx, foreign, ticket, ['*'])).rejects.toMatchObject(
      refusal('record_not_found'),
    )
  })

  test('both answers are in the audit log, with person, client and scopes', async () => {
    const eve = await instance.person()
    await authorizeFlow(instance, eve, { scope: 'apps:read' })
    const { ticket } = await beginFlow(instance)
    await deny(instance.ctx, actorOf(eve), ticket)
    const rows = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'outcome', 'target', 'workspace_id'])
      .where('user_id', '=', eve.userId)
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      {
        action: 'authorize_app',
        outcome: 'done',
        target: clientId,
        workspace_id: eve.workspaceId,
      },
      { action: 'deny_app', outcome: 'refused', target: clientId, workspace_id: eve.workspaceId },
    ])
  })
})
