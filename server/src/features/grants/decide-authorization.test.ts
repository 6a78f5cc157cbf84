import { beforeAll, expect, test } from 'vitest'
import { actorOf, describeGround, type Ground, type Person } from '#test/support/ground.ts'
import { authorizeFlow, beginFlow, refusal } from '#test/support/oauth-flow.ts'
import { authorize, deny, getPendingAuthorization } from './index.ts'

const minute = 60_000
const clientId = 'svc_mcp_cli'

describeGround('a request for consent', (open) => {
  let ground: Ground
  let ada: Person

  beforeAll(async () => {
    ground = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await ground.person()
  })

  test('an expired request at 5:00 can be neither seen nor answered', async () => {
    const { ticket } = await beginFlow(ground)
    ground.advance(5 * minute - 1)
    expect((await getPendingAuthorization(ground.ctx, ticket)).scopes).toEqual(['*'])
    ground.advance(1)
    const expired = refusal('request_expired')
    await expect(getPendingAuthorization(ground.ctx, ticket)).rejects.toMatchObject(expired)
    await expect(authorize(ground.ctx, actorOf(ada), ticket, ['*'])).rejects.toMatchObject(expired)
    await expect(deny(ground.ctx, actorOf(ada), ticket)).rejects.toMatchObject(expired)
  })

  test("consent of another browser's request: it is not there", async () => {
    const { ticket } = await beginFlow(ground)
    const thief = { ...ticket, browser: 'b'.repeat(43) }
    const unknown = refusal('request_unknown')
    await expect(getPendingAuthorization(ground.ctx, thief)).rejects.toMatchObject(unknown)
    await expect(authorize(ground.ctx, actorOf(ada), thief, ['*'])).rejects.toMatchObject(unknown)
  })

  test('consent replay and concurrent consent: of many answers one counts', async () => {
    const other = await ground.again()
    other.advance(ground.ctx.clock.now() - other.ctx.clock.now())
    const { ticket } = await beginFlow(ground)
    const answers = await Promise.allSettled([
      ...[ground, other, ground, other].map(({ ctx }) =>
        authorize(ctx, actorOf(ada), ticket, ['*']),
      ),
      deny(other.ctx, actorOf(ada), ticket),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject(refusal('request_answered'))
  })

  test('consent tampering: more than was asked for is refused, and nothing is decided', async () => {
    const { ticket } = await beginFlow(ground, { scope: 'apps:read' })
    const actor = actorOf(ada)
    for (const granted of [['apps:write'], ['*'], ['apps:read', 'billing:read']] as const)
      await expect(authorize(ground.ctx, actor, ticket, granted)).rejects.toMatchObject(
        refusal('more_than_asked'),
      )
    await expect(authorize(ground.ctx, actor, ticket, [])).rejects.toMatchObject(
      refusal('nothing_granted'),
    )
    await authorize(ground.ctx, actor, ticket, ['apps:read'])
  })

  test('for a workspace that is not the person’s is refused', async () => {
    const bob = await ground.person()
    const { ticket } = await beginFlow(ground)
    const foreign = actorOf({ ...ada, workspaceId: bob.workspaceId })
    await expect(authorize(ground.ctx, foreign, ticket, ['*'])).rejects.toMatchObject(
      refusal('record_not_found'),
    )
  })

  test('both answers are in the audit log, with who, what and for whom', async () => {
    const eve = await ground.person()
    await authorizeFlow(ground, eve, { scope: 'apps:read' })
    const { ticket } = await beginFlow(ground)
    await deny(ground.ctx, actorOf(eve), ticket)
    const rows = await ground.ctx.db.read
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
