import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { createWorkspace } from '#features/workspaces/index.ts'
import { describeMcp } from '#test/support/mcp-service.ts'
import { insertOldKey, listedKey } from '#test/support/identity/old-key.ts'

describeMcp('a developer key of an earlier release', (open) => {
  test('works in every workspace of its user, and is marked in both lists', async () => {
    const service = await open({ environment: { DEFAULT_PLAN: 'builder' } })
    const { ctx, owner } = service
    const { id, token: key } = await insertOldKey(service, owner, null)
    expect(key).toMatch(/^svc_sk_[\w-]{43}$/)
    const second = await createWorkspace(ctx, owner.userId, { name: 'Second' })
    const here = await createAgent(ctx, owner, { name: 'Here' })
    const there = await createAgent(ctx, { ...owner, workspaceId: second.id }, { name: 'There' })
    const agentsIn = async (input: object) => {
      const { structuredContent } = await service.call('list_apps', input, { key })
      return structuredContent.items
    }
    expect(await agentsIn({})).toMatchObject([{ id: here.id }])
    expect(await agentsIn({ workspace_id: second.id })).toMatchObject([{ id: there.id }])
    const made = await service.call(
      'create_app',
      { name: 'Made', workspace_id: second.id },
      { key },
    )
    expect(made.structuredContent).toMatchObject({ name: 'Made' })
    service.advance(100 * 24 * 60 * 60_000)
    const unused = { operation: 'list_unused_credentials', input: { days: 1 } }
    for (const list of [{ operation: 'list_developer_keys' }, unused])
      expect(await listedKey(service, owner, list, id)).toMatchObject({ has_checksum: false })
  })
})
