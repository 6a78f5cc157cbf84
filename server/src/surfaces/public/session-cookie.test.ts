import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { updateChatPage } from '#features/visitors/index.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

describeSignIn('the session cookie of the dashboard', (open) => {
  let service: SignInService
  let path: string
  let appId: string
  let session: string

  beforeAll(async () => {
    service = await open()
    const { userId, workspaceId } = service.ada
    const agent = await createAgent(service.ctx, { userId, workspaceId }, { name: 'Desk' })
    appId = agent.id
    path = `/chat/${agent.appNameId}`
    const browser = await service.signedIn(service.ada)
    session = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    // It is a session: the dashboard answers with it.
    const { status } = await service.app.request('/api/dashboard/me', {
      headers: { cookie: session },
    })
    expect(status).toBe(200)
  })

  const allow = (access: 'public' | 'members') =>
    updateChatPage(service.ctx, service.ada.workspaceId, appId, { enabled: true, access })
  const get = async (below: string, cookie: string) => {
    const response = await service.app.request(path + below, { headers: { cookie } })
    const { status, headers } = response
    return { status, headers, html: await response.text() }
  }
  /** What differs between any two answers: the number that the policy names, used once. */
  const plain = ({ status, headers, html }: Awaited<ReturnType<typeof get>>) => {
    const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? ' '
    const named = [...headers].filter(([name]) => name !== 'x-request-id')
    return [status, JSON.stringify(named), html].join('\n').replaceAll(nonce, 'nonce')
  }

  test.each(['public', 'members'] as const)(
    'changes no byte of a chat page with the access %s',
    async (access) => {
      await allow(access)
      const [visitor = ''] = (await get('', '')).headers.get('set-cookie')?.split(';') ?? []
      for (const below of ['', '?preview', '?app', '/app']) {
        const without = await get(below, visitor)
        const withIt = await get(below, `${session}; ${visitor}`)
        expect(plain(withIt)).toBe(plain(without))
      }
    },
  )
})
