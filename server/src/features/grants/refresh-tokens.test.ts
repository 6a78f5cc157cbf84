import { beforeAll, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#kernel/durations.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { grantFlow, redirectUri, refresh, refusal } from '#test/support/identity/oauth-flow.ts'
import { authenticateBearer, registerClient } from './index.ts'

const second = 1000

describeInstance('a refresh', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await instance.person()
  })

  const bearer = (token: string, where = instance) => authenticateBearer(where.ctx, token)

  test('ends both tokens of the old pair at once and gives new ones', async () => {
    const old = await grantFlow(instance, ada)
    const next = await refresh(instance, old.refreshToken)
    expect(next.accessToken).not.toBe(old.accessToken)
    await expect(bearer(old.accessToken)).rejects.toMatchObject(refusal('token_unknown'))
    expect((await bearer(next.accessToken)).actor.userId).toBe(ada.userId)
  })

  test('refresh reuse within 30 seconds is refused without further effect', async () => {
    const old = await grantFlow(instance, ada)
    const next = await refresh(instance, old.refreshToken)
    instance.advance(30 * second)
    await expect(refresh(instance, old.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
    await bearer(next.accessToken)
    await refresh(instance, next.refreshToken)
  })

  test('refresh reuse later than 30 seconds ends the whole family', async () => {
    const first = await grantFlow(instance, ada)
    const next = await refresh(instance, first.refreshToken)
    instance.advance(30 * second + 1)
    await expect(refresh(instance, first.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
    await expect(bearer(next.accessToken)).rejects.toMatchObject(refusal('token_unknown'))
    await expect(refresh(instance, next.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
  })

  test('concurrent refresh: one wins, and its tokens keep working, in whichever process', async () => {
    const other = await instance.again()
    other.advance(instance.ctx.clock.now() - other.ctx.clock.now())
    for (let round = 0; round < 5; round += 1) {
      const { refreshToken } = await grantFlow(instance, ada)
      const attempts = await Promise.allSettled(
        [instance, other, instance, other].map((where) => refresh(where, refreshToken)),
      )
      const won = attempts.filter((attempt) => attempt.status === 'fulfilled')
      expect(won).toHaveLength(1)
      await bearer(won[0]!.value.accessToken)
      await refresh(instance, won[0]!.value.refreshToken)
    }
  })

  test('cross-client refresh: another client cannot use the token, and does not end it', async () => {
    const other = await registerClient(instance.ctx, { redirect_uris: [redirectUri] })
    const { refreshToken } = await grantFlow(instance, ada)
    await expect(refresh(instance, refreshToken, { clientId: other.id })).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
    await refresh(instance, refreshToken)
  })

  test('scope escalation at refresh is refused and leaves the token valid', async () => {
    const tokens = await grantFlow(instance, ada, { scope: 'apps:read knowledge:read' })
    for (const scope of ['*', 'apps:read apps:write'])
      await expect(refresh(instance, tokens.refreshToken, { scope })).rejects.toMatchObject(
        refusal('scope_widened'),
      )
    await bearer(tokens.accessToken)
    const narrow = await refresh(instance, tokens.refreshToken, { scope: 'apps:read' })
    expect(narrow.scopes).toEqual(['apps:read'])
    expect((await bearer(narrow.accessToken)).actor.scopes).toEqual(['apps:read'])
    const whole = await refresh(instance, narrow.refreshToken)
    expect(whole.scopes).toEqual(['apps:read', 'knowledge:read'])
  })

  test('a refresh token lives 30 days, an access token an hour', async () => {
    const tokens = await grantFlow(instance, ada)
    const other = await grantFlow(instance, ada)
    instance.advance(60 * minuteMs - 1)
    await bearer(tokens.accessToken)
    instance.advance(1)
    await expect(bearer(tokens.accessToken)).rejects.toMatchObject(refusal('token_unknown'))
    instance.advance(30 * dayMs - 60 * minuteMs - 1)
    await refresh(instance, tokens.refreshToken)
    instance.advance(1)
    await expect(refresh(instance, other.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
  })

  test('an access token is not a refresh token', async () => {
    const { accessToken } = await grantFlow(instance, ada)
    await expect(refresh(instance, accessToken)).rejects.toMatchObject(refusal('grant_invalid'))
  })
})
