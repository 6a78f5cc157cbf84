import { beforeAll, describe, expect, test } from 'vitest'
import { deleteWorkspace } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'
import { routeOf, routes } from './route-requests.ts'
import { bearer, type Ids, type TenantRequest } from './tenant-request.ts'
import { createTenant, type Tenant } from './tenant.ts'

describeSignIn('the routes', (open) => {
  let service: SignInService
  let own: Tenant
  let other: Tenant

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
    own = await createTenant(service, 'intruder')
    other = await createTenant(service, 'victim')
    await own.browser.open('/account')
  })

  const nowhere = (): Ids => ({
    workspaceId: newId(),
    appId: newId(),
    appNameId: 'no-such-agent-99999',
    chatSessionId: newId(),
    messageId: `chatcmpl-${newId()}`,
    responseId: `resp_${newId().replaceAll('-', '')}`,
    fileId: `file-${newId().replaceAll('-', '')}`,
    sourceId: newId(),
    productId: newId(),
    checkoutId: newId(),
    orderId: newId(),
    receiptKey: 'x'.repeat(43),
    signInId: newId(),
    factorId: newId(),
    grantId: newId(),
  })

  async function send({ path, init }: TenantRequest) {
    const { origin } = new URL(service.ctx.config.baseUrl ?? '')
    const response = await service.app.request(`${origin}${path}`, init)
    return { status: response.status, text: await response.text() }
  }

  /** The text of a response without the ids of its request. */
  function withoutIds(text: string, ids: Ids): string {
    const known = Object.values(ids).toSorted((a, b) => b.length - a.length)
    const bare = known.reduce((rest, id) => rest.replaceAll(id, '<id>'), text)
    return bare
      .replace(/"(?:request_?[iI]d|log_id)":"[^"]*"/g, '"request_id":""')
      .replace(/[?&]v=[\w-]+/g, '')
  }

  const isRefusal = ({ status, text }: { status: number; text: string }) =>
    (status >= 400 && status < 500) || text.includes('"isError":true')

  test('are all known to this test', () => {
    const served = service.app.routes.filter(({ method }) => method !== 'ALL')
    const names = [...new Set(served.map(({ method, path }) => routeOf(method, path)))]
    expect(names.filter((name) => !(name in routes))).toEqual([])
    expect(Object.keys(routes).filter((name) => !names.includes(name))).toEqual([])
  })

  test('for every method only prepare requests for another route or refuse them', () => {
    const all = service.app.routes.filter(({ method }) => method === 'ALL')
    const answered = new Set(
      service.app.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path),
    )
    const alone = all.filter(({ path }) => !answered.has(path) && !path.endsWith('*'))
    expect(alone.map(({ path }) => path)).toEqual([])
  })

  describe('requested with another tenant’s ids', () => {
    test.each(Object.entries(routes).filter(([, route]) => typeof route !== 'string'))(
      '%s answers as if the record did not exist',
      async (_, route) => {
        if (typeof route === 'string') throw new Error('filtered above')
        const none = nowhere()
        const [theirs, unknown] = [route(own, other), route(own, none)]
        expect(theirs.length).toBeGreaterThan(0)
        for (const [n, request] of theirs.entries()) {
          const there = await send(request)
          const nothing = await send(unknown[n] ?? request)
          const said = withoutIds(there.text, other)
          expect(isRefusal(there), `${request.path}: ${there.status} ${there.text}`).toBe(true)
          expect({ ...there, text: said }).toEqual({
            ...nothing,
            text: withoutIds(nothing.text, none),
          })
          expect(said).not.toContain(other.secretWord)
          expect(said).not.toContain(other.workspaceName)
          // An invalid input would be refused before the check of its owner.
          expect(said, request.path).not.toContain('input is not valid')
        }
      },
    )

    test('a chat with another tenant’s session id neither reads nor extends the session', async () => {
      const rows = () =>
        service.ctx.db.read
          .selectFrom('chat_messages')
          .selectAll()
          .where('session_id', '=', other.chatSessionId)
          .orderBy('seq')
          .execute()
      const before = await rows()
      const body = {
        model: own.appNameId,
        messages: [{ role: 'user', content: 'What did I say before?' }],
        chatSessionId: other.chatSessionId,
      }
      const { text } = await send({
        path: '/api/v1/chat/completions',
        init: bearer(own.chatKey, body),
      })
      expect(text).not.toContain(other.secretWord)
      expect(await rows()).toEqual(before)
    })
  })

  describe('of a deleted workspace', () => {
    test('refuse its credentials on every surface', async () => {
      const gone = await createTenant(service, 'gone')
      await gone.browser.open('/account')
      await deleteWorkspace(service.ctx, gone, gone.workspaceName)
      const requests = Object.values(routes).flatMap((route) =>
        typeof route === 'string' ? [] : route(gone, gone),
      )
      const open = [
        `/acp/${gone.appId}/.well-known/acp.json`,
        `/acp/${gone.appId}/.well-known/agent.json`,
        `/acp/${gone.appId}/products`,
        `/acp/${gone.appId}/feed`,
      ].map((path) => ({ path }))
      const models = { path: '/api/v1/models', init: bearer(gone.chatKey) }
      const personal = /^\/account\//
      for (const request of [...requests, ...open, models]) {
        if (personal.test(request.path)) continue
        const answer = await send(request)
        expect(isRefusal(answer), `${request.path}: ${answer.status} ${answer.text}`).toBe(true)
        expect(withoutIds(answer.text, gone)).not.toContain(gone.secretWord)
      }
    })
  })
})
