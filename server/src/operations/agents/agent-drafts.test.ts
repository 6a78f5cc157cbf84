import { beforeAll, expect, test } from 'vitest'
import { findWorkspaceAgent } from '#features/turns/index.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

interface Answer extends Record<string, unknown> {
  readonly id: string
  readonly version: number
  readonly draft?: { readonly revision: string; readonly changes: Record<string, unknown> }
  readonly items: readonly Record<string, unknown>[]
}

describeInstance('the draft of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let bob: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    bob = await instance.person()
    const seat = { workspace_id: ada.workspaceId, user_id: bob.userId, role: 'editor' }
    await instance.ctx.db.write((tx) =>
      tx
        .insertInto('memberships')
        .values({ ...seat, created_at: 1 })
        .execute(),
    )
  })

  async function call(name: string, input: Record<string, unknown>, person = ada): Promise<Answer> {
    const operation = findOperation(name)!
    const answer = await runOperation(instance.ctx, actorOf(person), operation, input)
    return answer as Answer // A field that is not what it should be fails its comparison.
  }

  async function drafted(changes: Record<string, unknown> = { greeting: 'Soon' }) {
    const { id } = await call('create_app', { name: 'Desk', greeting: 'Hello' })
    const { draft } = await call('update_app', { app_id: id, publish: false, ...changes })
    return { app_id: id, revision: draft!.revision }
  }

  test('changes what the test chat uses, and nothing that callers get until it is published', async () => {
    const { app_id } = await drafted({ greeting: 'Soon', retrieval: { top_k: 3 } })
    const live = await call('get_app', { app_id })
    expect(live).toMatchObject({ version: 1, greeting: 'Hello', retrieval: { top_k: 5 } })
    expect(live.draft).toMatchObject({
      changes: { greeting: 'Soon', retrieval: { top_k: 3 } },
      author: { id: ada.userId, name: expect.any(String) },
    })
    const answers = async (version?: 'draft') => {
      const place = [instance.ctx, ada.workspaceId, app_id] as const
      const { settings } = await findWorkspaceAgent(...place, { version })
      return { greeting: settings.greeting, retrieval: settings.retrieval }
    }
    expect(await answers()).toMatchObject({ greeting: 'Hello', retrieval: { top_k: 5 } })
    expect(await answers('draft')).toEqual({
      greeting: 'Soon',
      retrieval: { mode: 'hybrid', top_k: 3, min_score: 0, vector_weight: null },
    })
    const note = 'A new greeting'
    const published = await call('publish_app_draft', { app_id, note })
    expect(published).toMatchObject({ version: 2, greeting: 'Soon', retrieval: { top_k: 3 } })
    expect(await call('get_app', { app_id })).toEqual(published)
    const { items } = await call('list_app_versions', { app_id })
    expect(items[0]).toMatchObject({ version: 2, note, current: true })
  })

  test('has only what differs, and ends when nothing does', async () => {
    const { app_id } = await drafted({ greeting: 'Soon', system_prompt: '' })
    const { draft } = await call('get_app', { app_id })
    expect(draft?.changes).toEqual({ greeting: 'Soon' })
    const same = await call('update_app', { app_id, publish: false, greeting: 'Hello' })
    expect(same).not.toHaveProperty('draft')
    await expect(call('publish_app_draft', { app_id })).rejects.toMatchObject({
      code: 'draft_missing',
    })
  })

  test('keeps what another version changed meanwhile', async () => {
    const { app_id } = await drafted()
    const other = await call('update_app', { app_id, description: 'Published at once' })
    expect(other).toMatchObject({ version: 2, greeting: 'Hello' })
    expect(other.draft?.changes).toEqual({ greeting: 'Soon' })
    await expect(call('publish_app_draft', { app_id, expected_version: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
    expect(await call('publish_app_draft', { app_id, expected_version: 2 })).toMatchObject({
      version: 3,
      greeting: 'Soon',
      description: 'Published at once',
    })
  })

  test('is shared by editors, who see whose change it is', async () => {
    const { app_id, revision } = await drafted()
    const both = await call(
      'update_app',
      { app_id, publish: false, description: 'Bob was here' },
      bob,
    )
    expect(both.draft).toMatchObject({
      changes: { greeting: 'Soon', description: 'Bob was here' },
      author: { id: bob.userId },
    })
    const stale = { app_id, publish: false, greeting: 'Mine', expected_draft: revision }
    await expect(call('update_app', stale)).rejects.toMatchObject({ code: 'draft_conflict' })
    const unaware = { app_id, publish: false, greeting: 'Mine', expected_draft: null }
    await expect(call('update_app', unaware)).rejects.toMatchObject({ code: 'draft_conflict' })
    const publish = { app_id, expected_draft: revision }
    await expect(call('publish_app_draft', publish)).rejects.toMatchObject({
      code: 'draft_conflict',
    })
    await expect(call('discard_app_draft', publish)).rejects.toMatchObject({
      code: 'draft_conflict',
    })
  })

  test('of several edits at once that expect the same draft, one is stored', async () => {
    const { app_id, revision } = await drafted()
    const edits = ['a', 'b', 'c', 'd'].map((greeting, index) =>
      call(
        'update_app',
        { app_id, publish: false, greeting, expected_draft: revision },
        index % 2 === 0 ? ada : bob,
      ),
    )
    const ended = await Promise.allSettled(edits)
    const refused = ended.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(3)
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'draft_conflict' } })
  })

  test('can be discarded, and each change is audited without its version', async () => {
    const { app_id } = await drafted()
    const kept = await call('discard_app_draft', { app_id })
    expect(kept).toMatchObject({ version: 1, greeting: 'Hello' })
    const { items } = await call('list_audit_events', { target: app_id, limit: 5 })
    expect(items.slice(0, 2)).toMatchObject([
      { action: 'discard_app_draft', before: { 'changes.greeting': 'Soon' }, after: null },
      { action: 'update_app', before: null, after: { 'changes.greeting': 'Soon' } },
    ])
  })

  test('is part of an export and of a copy', async () => {
    const { app_id } = await drafted({ greeting: 'Soon', name: 'Renamed' })
    const { document } = await call('export_app', { app_id })
    const { id: imported } = await call('import_app', { document })
    const { id: copied } = await call('duplicate_app', { app_id })
    const draftOf = async (id: string) => (await call('get_app', { app_id: id })).draft?.changes
    expect(await draftOf(imported)).toEqual({ greeting: 'Soon', name: 'Renamed' })
    expect(await draftOf(copied)).toEqual({ greeting: 'Soon' })
  })

  test('refuses an unknown model', async () => {
    const { app_id } = await drafted()
    const input = { app_id, publish: false, model: 'nobody/knows' }
    await expect(call('update_app', input)).rejects.toMatchObject({ code: 'model_unknown' })
  })
})
