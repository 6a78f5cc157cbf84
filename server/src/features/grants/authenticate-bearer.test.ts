import { beforeAll, expect, test } from 'vitest'
import {
  createDeveloperKey,
  deleteDeveloperKey,
  type IssuedDeveloperKey,
} from '#features/api-keys/index.ts'
import { dayMs, minuteMs } from '#kernel/durations.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { grantFlow, leave, refresh, refusal } from '#test/support/identity/oauth-flow.ts'
import { authenticateBearer, listConnectedApps } from './index.ts'

describeInstance('a bearer', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await instance.person()
  })

  const bearer = (token: string, where = instance) => authenticateBearer(where.ctx, token)

  const issue = (more: object = {}): Promise<IssuedDeveloperKey> =>
    createDeveloperKey(
      instance.ctx,
      { userId: ada.userId, workspaceId: ada.workspaceId, role: 'owner' },
      { name: 'Nightly', ...more },
    )

  test('may be a developer key, with full access or with its scopes', async () => {
    const whole = await issue()
    expect(whole.key).toMatch(/^svc_sk_[0-9A-Za-z]{49}$/)
    expect((await bearer(whole.key)).actor).toEqual({
      userId: ada.userId,
      workspaceId: ada.workspaceId,
      scopes: ['*'],
      surface: 'mcp',
      via: { kind: 'developer_key', id: whole.id, client: 'Nightly' },
    })
    const narrow = await issue({ scopes: ['apps:read'] })
    expect((await bearer(narrow.key)).actor.scopes).toEqual(['apps:read'])
  })

  test('that is a deleted key is unknown on the next request, in every process', async () => {
    const other = await instance.again()
    const issued = await issue()
    await bearer(issued.key, other)
    const holder = { userId: ada.userId, workspaceId: ada.workspaceId, role: 'owner' } as const
    await deleteDeveloperKey(instance.ctx, holder, issued.id)
    await expect(bearer(issued.key, other)).rejects.toMatchObject(refusal('token_unknown'))
  })

  test('that is an expired key is refused as expired', async () => {
    const issued = await issue({ expiresIn: '30d' })
    instance.advance(30 * dayMs - 1)
    await bearer(issued.key)
    instance.advance(1)
    await expect(bearer(issued.key)).rejects.toMatchObject({
      code: 'key_expired',
      kind: 'expired',
    })
  })

  test.each([
    ['a chat key', `svc_ck_${'a'.repeat(43)}`],
    ['an ACP key', `acp_${'a'.repeat(32)}`],
    ['a refresh token', `svc_rt_${'a'.repeat(43)}`],
    ['a token cut short', `svc_at_${'a'.repeat(42)}`],
    ['a token with a tail', `svc_at_${'a'.repeat(43)}=`],
    ['a token with a line break', `svc_at_${'a'.repeat(43)}\n`],
    ['a session cookie', 'a'.repeat(43)],
    ['nothing', ''],
  ])('swapped tokens: %s is no token at all', async (_, token) => {
    await expect(bearer(token)).rejects.toMatchObject(refusal('token_malformed'))
  })

  test('that is well-formed and unknown is refused as unknown', async () => {
    for (const prefix of ['svc_at_', 'svc_sk_'])
      await expect(bearer(prefix + 'a'.repeat(43))).rejects.toMatchObject(refusal('token_unknown'))
  })

  test('that is a refresh token with the prefix of an access token is unknown', async () => {
    const { refreshToken } = await grantFlow(instance, ada)
    const swapped = refreshToken.replace('svc_rt_', 'svc_at_')
    await expect(bearer(swapped)).rejects.toMatchObject(refusal('token_unknown'))
  })

  test('token of another audience, from when the service had another address, is unknown', async () => {
    const { accessToken } = await grantFlow(instance, ada)
    const config = { ...instance.ctx.config, baseUrl: 'https://elsewhere.example' }
    await expect(
      authenticateBearer({ ...instance.ctx, config }, accessToken),
    ).rejects.toMatchObject(refusal('token_unknown'))
  })

  test('does not outlive its person’s membership in the workspace', async () => {
    const guest = await instance.person()
    await instance.join(guest, ada.workspaceId, 'editor')
    const seated = { ...guest, workspaceId: ada.workspaceId }
    const tokens = await grantFlow(instance, seated)
    const { key } = await createDeveloperKey(
      instance.ctx,
      { ...seated, role: 'editor' },
      { name: 'Guest' },
    )
    await bearer(tokens.accessToken)
    await bearer(key)
    await leave(instance, guest, ada.workspaceId)
    for (const token of [tokens.accessToken, key])
      await expect(bearer(token)).rejects.toMatchObject(refusal('token_unknown'))
    await expect(refresh(instance, tokens.refreshToken)).rejects.toMatchObject(
      refusal('grant_invalid'),
    )
  })

  test('has its use stored, at most once a minute', async () => {
    const eve = await instance.person()
    const { accessToken } = await grantFlow(instance, eve)
    const used = async () => {
      const { items } = await listConnectedApps(instance.ctx, eve.userId, { limit: 1 })
      return items[0]?.lastUsedAt
    }
    expect(await used()).toBeNull()
    await bearer(accessToken)
    const at = instance.ctx.clock.now()
    await expect.poll(used).toBe(at)
    instance.advance(minuteMs - 1)
    await bearer(accessToken)
    await instance.ctx.db.write(async () => undefined)
    expect(await used()).toBe(at)
    instance.advance(1)
    await bearer(accessToken)
    await expect.poll(used).toBe(at + minuteMs)
  })
})
