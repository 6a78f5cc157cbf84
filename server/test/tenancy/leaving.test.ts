import { beforeAll, expect, test } from 'vitest'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import { leaveWorkspace, removeMember } from '#features/members/index.ts'
import { grantFlow, refresh, refusal } from '#test/support/identity/oauth-flow.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

type Credentials = Readonly<Record<'session' | 'key' | 'token', Readonly<Record<string, string>>>>

describeSignIn('a former member', (open) => {
  let service: SignInService
  let people = 0

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
  })

  /** An editor of another person's workspace, with every credential that acts for a person. */
  async function editorOf(host: Account) {
    people += 1
    const guest = await service.account(`leaver-${people}`)
    const person = { ...guest, name: 'Guest', workspaceId: host.workspaceId }
    await service.join(person, host.workspaceId, 'editor')
    const holder = { ...person, role: 'editor' } as const
    const { key } = await createDeveloperKey(service.ctx, holder, { name: 'key', scopes: ['*'] })
    const tokens = await grantFlow(service, person)
    const browser = await service.signedIn(guest)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const credentials: Credentials = {
      session: { cookie, origin: 'http://localhost:3000' },
      key: { authorization: `Bearer ${key}` },
      token: { authorization: `Bearer ${tokens.accessToken}` },
    }
    return { guest, person, credentials, refreshToken: tokens.refreshToken }
  }

  /** The result of reading a workspace with each credential: `seen`, or the status. */
  async function seen(credentials: Credentials, workspace_id: string) {
    const named = (text: string) => text.includes(`"id":"${workspace_id}"`) || text.includes(`\\"id\\":\\"${workspace_id}\\"`) // prettier-ignore
    const call = { name: 'get_workspace', arguments: { workspace_id } }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const ask = async (path: string, input: unknown, headers: Readonly<Record<string, string>>) => {
      const response = await service.post(path, input, headers)
      return named(await response.text()) ? 'seen' : response.status
    }
    const operation = '/api/dashboard/operations/get_workspace'
    return {
      session: await ask(operation, { workspace_id }, credentials.session),
      key: await ask('/mcp', body, credentials.key),
      token: await ask('/mcp', body, credentials.token),
    }
  }

  test.each(['removed', 'left'] as const)(
    'has no access from the next request on (%s), and key and tokens stay invalid after a return',
    async (how) => {
      const host = await service.account(`host-of-${how}`)
      const { guest, person, credentials, refreshToken } = await editorOf(host)
      const { workspaceId } = host
      expect(await seen(credentials, workspaceId)).toEqual({
        session: 'seen',
        key: 'seen',
        token: 'seen',
      })
      if (how === 'removed') await removeMember(service.ctx, host, guest.userId)
      else await leaveWorkspace(service.ctx, person)
      expect(await seen(credentials, workspaceId)).toEqual({ session: 404, key: 401, token: 401 })
      // They can still read their own workspace.
      expect(await seen(credentials, guest.workspaceId)).toMatchObject({ session: 'seen' })
      await service.join(person, workspaceId, 'editor')
      expect(await seen(credentials, workspaceId)).toEqual({
        session: 'seen',
        key: 401,
        token: 401,
      })
      await expect(refresh(service, refreshToken)).rejects.toMatchObject(refusal('grant_invalid'))
    },
  )
})
