import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#kernel/durations.ts'
import { hashToken } from '#kernel/tokens.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  authorizeFlow,
  grantFlow,
  leave,
  redeem,
  redirectUri,
  refresh,
  refusal,
} from '#test/support/identity/oauth-flow.ts'
import { authenticateBearer, redeemCode, registerClient } from './index.ts'

const clientId = 'svc_mcp_cli'

describeInstance('a code', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await instance.person()
  })

  const bearer = (token: string, where = instance) => authenticateBearer(where.ctx, token)

  test('gives tokens for the granted person, workspace and scopes', async () => {
    const tokens = await grantFlow(instance, ada, { scope: 'apps:read apps:write' })
    expect(tokens.accessToken).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
    expect(tokens.refreshToken).toMatch(/^svc_rt_[A-Za-z0-9_-]{43}$/)
    expect(tokens).toMatchObject({
      expiresInSeconds: 3600,
      scopes: ['apps:read', 'apps:write'],
    })
    const { actor, plan } = await bearer(tokens.accessToken)
    expect(actor).toMatchObject({
      userId: ada.userId,
      workspaceId: ada.workspaceId,
      scopes: ['apps:read', 'apps:write'],
      surface: 'mcp',
      via: { kind: 'grant', client: 'Command-line MCP client' },
    })
    expect(plan).toBe('builder')
  })

  test('and tokens are stored only as hashes', async () => {
    const flow = await authorizeFlow(instance, ada)
    const tokens = await redeem(instance, flow)
    const everything = JSON.stringify(
      await Promise.all([
        instance.ctx.db.read.selectFrom('oauth_tokens').selectAll().execute(),
        instance.ctx.db.read.selectFrom('authorization_requests').selectAll().execute(),
        instance.ctx.db.read.selectFrom('oauth_grants').selectAll().execute(),
      ]),
    )
    const { handle, browser } = flow.ticket
    for (const secret of [
      flow.code,
      handle,
      browser,
      tokens.accessToken.slice(7),
      tokens.refreshToken.slice(7),
    ])
      expect(everything).not.toContain(secret)
    expect(everything).toContain(hashToken(tokens.accessToken))
  })

  test('code replay: the second use is refused and the tokens of the first are dead', async () => {
    const flow = await authorizeFlow(instance, ada)
    const tokens = await redeem(instance, flow)
    await bearer(tokens.accessToken)
    await expect(redeem(instance, flow)).rejects.toMatchObject(refusal('grant_invalid'))
    await expect(bearer(tokens.accessToken)).rejects.toMatchObject(refusal('token_unknown'))
    await expect(refresh(instance, tokens.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
  })

  test('concurrent double redemption: one wins, in whichever process', async () => {
    const other = await instance.again()
    for (let round = 0; round < 5; round += 1) {
      const flow = await authorizeFlow(instance, ada)
      const attempts = await Promise.allSettled(
        [instance, other, instance, other].map((where) => redeem(where, flow)),
      )
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const attempt of attempts)
        if (attempt.status === 'rejected')
          expect(attempt.reason).toMatchObject(refusal('grant_invalid'))
    }
  })

  test('a failed PKCE attempt uses up the code', async () => {
    const flow = await authorizeFlow(instance, ada)
    const wrong = { ...flow, pkce: { ...flow.pkce, verifier: 'w'.repeat(43) } }
    await expect(redeem(instance, wrong)).rejects.toMatchObject(refusal('grant_invalid'))
    await expect(redeem(instance, flow)).rejects.toMatchObject(refusal('grant_invalid'))
  })

  test('code to another client: refused and used up', async () => {
    const other = await registerClient(instance.ctx, { redirect_uris: [redirectUri] })
    const flow = await authorizeFlow(instance, ada)
    await expect(redeem(instance, { ...flow, clientId: other.id })).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
    await expect(redeem(instance, flow)).rejects.toMatchObject(refusal('grant_invalid'))
  })

  test('code to another redirect: refused, even if only the port differs', async () => {
    const { code, pkce } = await authorizeFlow(instance, ada)
    const elsewhere = redeemCode(instance.ctx, {
      code,
      clientId,
      redirectUri: 'http://localhost:9999/callback',
      codeVerifier: pkce.verifier,
      resources: [],
    })
    await expect(elsewhere).rejects.toMatchObject(refusal('grant_invalid'))
  })

  test('expires exactly five minutes after the flow began', async () => {
    const inTime = await authorizeFlow(instance, ada)
    const late = await authorizeFlow(instance, ada)
    instance.advance(5 * minuteMs - 1)
    await redeem(instance, inTime)
    instance.advance(1)
    await expect(redeem(instance, late)).rejects.toMatchObject(refusal('grant_invalid'))
  })

  test('of a person who has left the workspace gives nothing', async () => {
    const guest = await instance.person()
    await instance.join(guest, ada.workspaceId, 'viewer')
    const flow = await authorizeFlow(instance, { ...guest, workspaceId: ada.workspaceId })
    await leave(instance, guest, ada.workspaceId)
    await expect(redeem(instance, flow)).rejects.toMatchObject(refusal('grant_invalid'))
  })
})
