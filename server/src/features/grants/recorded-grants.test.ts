import { beforeAll, expect, test } from 'vitest'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { authorizeFlow, grantFlow, redeem, refresh } from '#test/support/identity/oauth-flow.ts'
import { reuseToleranceMs } from './refresh-tokens.ts'
import { revokeToken } from './revoke-token.ts'

const clientId = 'svc_mcp_cli'

describeInstance('the audit log of a grant', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
  })

  /** What was recorded of a person who does nothing else. */
  async function recorded() {
    const rows = await instance.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('user_id', '=', ada.userId)
      .where('action', 'not in', ['authorize_app'])
      .orderBy('id')
      .execute()
    return rows.map(({ action, outcome, via_kind, client, detail_json }) => ({
      action,
      outcome,
      via_kind,
      client,
      detail: JSON.parse(detail_json ?? 'null') as unknown, // compared with what is expected
    }))
  }

  const by = { via_kind: 'grant', client: expect.stringContaining('') }

  test('has the oldest grants, which end beyond GRANTS_PER_PERSON', async () => {
    const few = await open({ BASE_URL: 'http://localhost:3000', GRANTS_PER_PERSON: '2' })
    const [bob, eve] = [await few.person(), await few.person()]
    await grantFlow(few, eve)
    for (let n = 0; n < 3; n += 1) await grantFlow(few, bob)
    const grants = await few.ctx.db.read
      .selectFrom('oauth_grants')
      .select(['id', 'user_id', 'revoked_at'])
      .orderBy('id')
      .execute()
    expect(grants.map(({ user_id, revoked_at }) => [user_id, revoked_at === null])).toEqual([
      [eve.userId, true],
      [bob.userId, false],
      [bob.userId, true],
      [bob.userId, true],
    ])
    const events = await few.ctx.db.read
      .selectFrom('audit_events')
      .select(['target', 'detail_json'])
      .where('action', '=', 'revoke_grant')
      .execute()
    expect(events).toEqual([{ target: grants[1]?.id, detail_json: '{"oldest":true}' }])
  })

  test('has a revoked token and a revoked grant, each once', async () => {
    ada = await instance.person()
    const tokens = await grantFlow(instance, ada)
    await revokeToken(instance.ctx, { token: tokens.accessToken, clientId })
    for (let round = 0; round < 2; round += 1)
      await revokeToken(instance.ctx, { token: tokens.refreshToken, clientId })
    expect(await recorded()).toEqual([
      { ...by, action: 'revoke_token', outcome: 'done', detail: null },
      { ...by, action: 'revoke_grant', outcome: 'done', detail: null },
    ])
  })

  test('has a replayed code, and that it ended the grant', async () => {
    ada = await instance.person()
    const flow = await authorizeFlow(instance, ada)
    await redeem(instance, flow)
    for (let round = 0; round < 2; round += 1)
      await expect(redeem(instance, flow)).rejects.toThrow()
    const detail = { replayed: true, grant_ended: true }
    expect(await recorded()).toEqual([{ ...by, action: 'redeem_code', outcome: 'refused', detail }])
  })

  test('has a copied refresh token, but no entry for two windows that refresh at once', async () => {
    ada = await instance.person()
    const { refreshToken } = await grantFlow(instance, ada)
    await refresh(instance, refreshToken)
    await expect(refresh(instance, refreshToken)).rejects.toThrow()
    expect(await recorded()).toEqual([])
    instance.advance(reuseToleranceMs + 1)
    for (let round = 0; round < 2; round += 1)
      await expect(refresh(instance, refreshToken)).rejects.toThrow()
    const detail = { reused: true, grant_ended: true }
    expect(await recorded()).toEqual([
      { ...by, action: 'refresh_tokens', outcome: 'refused', detail },
    ])
  })
})
