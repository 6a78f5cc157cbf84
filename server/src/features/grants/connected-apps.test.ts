import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  beginFlow,
  grantFlow,
  redirectUri,
  refresh,
  refusal,
} from '#test/support/identity/oauth-flow.ts'
import {
  authenticateBearer,
  listConnectedApps,
  refreshTokens,
  registerClient,
  revokeConnectedApp,
  revokeToken,
  sweepExpiredGrants,
} from './index.ts'

const clientId = 'svc_mcp_cli'
const anyRun = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }

describeInstance('connected apps', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await instance.person()
  })

  const bearer = (token: string, where = instance) => authenticateBearer(where.ctx, token)

  test('are the person’s apps that can still act, newest first, in pages', async () => {
    const eve = await instance.person()
    const { id } = await registerClient(instance.ctx, {
      client_name: 'Helper',
      redirect_uris: [redirectUri],
    })
    await grantFlow(instance, eve, { clientId: id, scope: 'apps:read' })
    await grantFlow(instance, eve)
    await grantFlow(instance, ada)
    const first = await listConnectedApps(instance.ctx, eve.userId, { limit: 1 })
    expect(first.items).toMatchObject([{ name: 'Command-line MCP client', scopes: ['*'] }])
    const rest = await listConnectedApps(instance.ctx, eve.userId, {
      limit: 1,
      cursor: first.nextCursor!,
    })
    expect(rest.items).toMatchObject([
      { name: 'Helper', clientId: id, returnsTo: 'localhost:4567', scopes: ['apps:read'] },
    ])
    expect(rest.nextCursor).toBeNull()
  })

  test('are revoked by their person only, and the next request is refused', async () => {
    const eve = await instance.person()
    const { accessToken } = await grantFlow(instance, eve)
    const list = () => listConnectedApps(instance.ctx, eve.userId, { limit: 10 })
    const { id } = (await list()).items[0]!
    await expect(revokeConnectedApp(instance.ctx, ada.userId, id)).rejects.toMatchObject(
      refusal('record_not_found'),
    )
    await bearer(accessToken)
    await revokeConnectedApp(instance.ctx, eve.userId, id)
    await expect(bearer(accessToken)).rejects.toMatchObject(refusal('token_unknown'))
    expect((await list()).items).toEqual([])
  })

  test('of an access token ends that token alone', async () => {
    const tokens = await grantFlow(instance, ada)
    await revokeToken(instance.ctx, { token: tokens.accessToken, clientId: undefined })
    await expect(bearer(tokens.accessToken)).rejects.toMatchObject(refusal('token_unknown'))
    await refresh(instance, tokens.refreshToken)
  })

  test('of a refresh token ends the grant, in every process on its next request', async () => {
    const other = await instance.again()
    const tokens = await grantFlow(instance, ada)
    await bearer(tokens.accessToken, other)
    await revokeToken(instance.ctx, { token: tokens.refreshToken, clientId })
    await expect(bearer(tokens.accessToken, other)).rejects.toMatchObject(refusal('token_unknown'))
    await expect(refresh(instance, tokens.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
  })

  test('by another client, or of an unknown token, changes nothing', async () => {
    const tokens = await grantFlow(instance, ada)
    await revokeToken(instance.ctx, { token: tokens.refreshToken, clientId: 'mcp_other' })
    await revokeToken(instance.ctx, { token: `svc_rt_${'x'.repeat(43)}`, clientId })
    await bearer(tokens.accessToken)
  })

  test('expired grants are deleted, and live ones stay', async () => {
    const { id: idle } = await registerClient(instance.ctx, { redirect_uris: [redirectUri] })
    const { id: granted } = await registerClient(instance.ctx, { redirect_uris: [redirectUri] })
    await beginFlow(instance)
    const { refreshToken } = await grantFlow(instance, ada, { clientId: granted })
    instance.advance(20 * dayMs)
    const live = await refreshTokens(instance.ctx, {
      refreshToken,
      clientId: granted,
      scope: undefined,
      resources: [],
    })
    instance.advance(25 * dayMs)
    await sweepExpiredGrants.run(instance.ctx, {}, anyRun)
    expect(await count('authorization_requests')).toBe(0)
    await refreshTokens(instance.ctx, {
      refreshToken: live.refreshToken,
      clientId: granted,
      scope: undefined,
      resources: [],
    })
    instance.advance(50 * dayMs)
    await sweepExpiredGrants.run(instance.ctx, {}, anyRun)
    expect(await count('oauth_tokens')).toBe(0)
    expect(await clientIds()).not.toContain(idle)
    // Its grant ended 30 days after the last refresh; its person may be away for longer than that.
    expect(await clientIds()).toContain(granted)
    instance.advance(71 * dayMs)
    await sweepExpiredGrants.run(instance.ctx, {}, anyRun)
    expect(await count('oauth_grants')).toBe(0)
    expect(await clientIds()).not.toContain(granted)
  })

  async function count(table: 'authorization_requests' | 'oauth_tokens' | 'oauth_grants') {
    const rows = await instance.ctx.db.read.selectFrom(table).select('expires_at').execute()
    return rows.length
  }

  async function clientIds() {
    const rows = await instance.ctx.db.read.selectFrom('oauth_clients').select('id').execute()
    return rows.map(({ id }) => id)
  }
})
