import { SignJWT } from 'jose'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { getChatPage, rotateIdentitySecret } from '#features/visitors/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const site = 'https://shop.example'

describeVisitors('a person whom the host has identified', (open) => {
  let service: VisitorService
  let secret: string
  let path: string

  beforeAll(async () => {
    service = await open({ page: { widget_origins: [site] } })
    const { ctx, owner, agent } = service
    const { widgetKey } = await getChatPage(ctx, owner.workspaceId, agent.id)
    path = `/chat/widget/${widgetKey}/visit`
  })
  beforeEach(async () => {
    const { ctx, owner, agent } = service
    ;({ secret } = await rotateIdentitySecret(ctx, owner.workspaceId, agent.id))
  })

  const begin = async (minutes: number | null, sub = 'grace') => {
    const exp = Math.floor(service.ctx.clock.now() / 1000) + (minutes ?? 0) * 60
    const token = new SignJWT({ sub }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(exp)
    const identity = await token.sign(new TextEncoder().encode(secret))
    const begun = await service.request(path, {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
      body: JSON.stringify({ identity: minutes === null ? null : identity }),
    })
    expect(begun.status).toBe(200)
    return (await begun.json()) as { token: string; ends_in: number }
  }
  const list = async (token: string) => (await service.ask(token, '/conversations')).status
  const renew = async (token: string) => {
    const renewed = await service.ask(token, '/visit', {})
    return renewed.ok ? ((await renewed.json()) as { token: string; ends_in: number }) : null
  }

  test('is identified no longer than the token of the host says, however often the visit is renewed', async () => {
    let visit = await begin(30)
    for (let n = 0; n < 3; n += 1) {
      service.advance(10 * minuteMs)
      expect(await list(visit.token)).toBe(200)
      const renewed = await renew(visit.token)
      expect(renewed).not.toBeNull()
      visit = renewed ?? visit
    }
    // The clocks may differ by a minute.
    expect(visit.ends_in).toBeLessThanOrEqual(minuteMs)
    service.advance(minuteMs)
    expect([await list(visit.token), await renew(visit.token)]).toEqual([401, null])
  })

  test('has a visit that ends with a token of a few minutes', async () => {
    const { token, ends_in } = await begin(2)
    expect(ends_in).toBeLessThanOrEqual(3 * minuteMs)
    service.advance(3 * minuteMs)
    expect(await list(token)).toBe(401)
  })

  test('has a visit like others if the token ends between two milliseconds', async () => {
    const { token } = await begin(2 + 0.123_456_789 / 60)
    expect(await list(token)).toBe(200)
    expect(await renew(token)).not.toBeNull()
  })

  test('is no longer identified at once when the secret is replaced; anonymous visits go on', async () => {
    const known = await begin(60)
    const anonymous = await begin(null)
    const { ctx, owner, agent } = service
    ;({ secret } = await rotateIdentitySecret(ctx, owner.workspaceId, agent.id))
    expect([await list(known.token), await renew(known.token)]).toEqual([401, null])
    expect(await list(anonymous.token)).toBe(200)
    expect(await list((await begin(60)).token)).toBe(200)
  })
})
