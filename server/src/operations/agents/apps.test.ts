import { beforeAll, expect, test } from 'vitest'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

/** The fields that tests use. */
interface Answer extends Record<string, unknown> {
  readonly id: string
  readonly app_name_id: string
  readonly key: string
  readonly updated_at: string
  readonly items: readonly Answer[]
}

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describeInstance('operations as their callers see them', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function call(name: string, input: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await runOperation(instance.ctx, actorOf(ada), findOperation(name)!, input)
    return answer as Answer // A field that is not what it should be fails its comparison.
  }

  test('an agent is one flat record with RFC 3339 times in UTC', async () => {
    const made = await call('create_app', { name: 'Help Desk', system_prompt: 'Be kind.' })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app_name_id: expect.stringMatching(/^help-desk-\d{5}$/),
      workspace_id: ada.workspaceId,
      folder: '',
      name: 'Help Desk',
      description: '',
      system_prompt: 'Be kind.',
      model: 'local/extractive',
      model_valid: true,
      temperature: null,
      max_output_tokens: null,
      greeting: '',
      suggestions: [],
      retrieval: { mode: 'hybrid', top_k: 5, min_score: 0, vector_weight: null },
      fallback_models: [],
      max_tool_steps: 5,
      retention_days: null,
      allow_request_overrides: [
        'tools',
        'tool_choice',
        'response_format',
        'sampling',
        'max_tokens',
      ],
      temperature_bounds: null,
      top_p_bounds: null,
      memory: 'none',
      memory_model: null,
      store_reasoning: false,
      version: 1,
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: expect.stringMatching(utc),
    })
    expect(await call('get_app', { app_id: made.id })).toEqual(made)
    const { items } = await call('list_apps')
    expect(items).toContainEqual(made)
  })

  test('every field that can be set at creation can be changed and cleared later', async () => {
    const full = {
      name: 'Full',
      description: 'All of it',
      system_prompt: 'Answer in verse.',
      model: 'openai/gpt-5',
      temperature: 0.5,
      max_output_tokens: 500,
      greeting: 'Hello',
      suggestions: ['What is it?'],
      retrieval: { mode: 'hybrid', top_k: 7, min_score: 1, vector_weight: null },
    }
    const made = await call('create_app', full)
    expect(made).toMatchObject(full)
    const cleared = {
      description: '',
      system_prompt: '',
      temperature: null,
      max_output_tokens: null,
      greeting: '',
      suggestions: [],
    }
    instance.advance(1000)
    const changed = await call('update_app', { app_id: made.id, ...cleared })
    expect(changed).toMatchObject({ ...full, ...cleared, version: 2 })
    expect(Date.parse(changed.updated_at) - Date.parse(made.updated_at)).toBe(1000)
  })

  test('versions are listed and restored', async () => {
    const { id } = await call('create_app', { name: 'One' })
    await call('update_app', { app_id: id, name: 'Two', note: 'why not' })
    const back = await call('rollback_app', { app_id: id, version: 1, expected_version: 2 })
    expect(back).toMatchObject({ id, name: 'One', version: 3 })
    const { items, next_cursor } = await call('list_app_versions', { app_id: id, limit: 2 })
    expect(items).toMatchObject([
      { version: 3, current: true, name: 'One', note: 'Rolled back to version 1' },
      { version: 2, current: false, name: 'Two', note: 'why not', author: { email: ada.email } },
    ])
    const rest = await call('list_app_versions', { app_id: id, cursor: next_cursor })
    expect(rest).toMatchObject({ items: [{ version: 1 }], next_cursor: null })
    expect(await call('get_app', { app_id: id, version: 2 })).toMatchObject({ name: 'Two' })
  })

  test('deleting returns the record with the time of deletion', async () => {
    const { id } = await call('create_app', { name: 'Short' })
    expect(await call('delete_app', { app_id: id })).toMatchObject({
      id,
      name: 'Short',
      deleted_at: expect.stringMatching(utc),
    })
    const { items } = await call('list_apps', { limit: 100 })
    expect(items.map((item) => item.id)).not.toContain(id)
  })

  test('a chat key is returned in full once, and without the key after that', async () => {
    const app = await call('create_app', { name: 'Keyed' })
    const input = { app_id: app.app_name_id, name: 'Site', expires_in: '30d' }
    const made = await call('create_chat_key', input)
    const { key, ...shown } = made
    expect(key).toMatch(/^svc_ck_[0-9A-Za-z]{49}$/)
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'Site',
      app_id: app.id,
      prefix: 'svc_ck_',
      last4: key.slice(-4),
      created_at: expect.stringMatching(utc),
      expires_at: expect.stringMatching(utc),
      allowed_addresses: null,
      has_checksum: true,
      last_used_at: null,
      last_used_address: null,
      last_used_agent: null,
      revoked_at: null,
    })
    const listed = await call('list_chat_keys', { app_id: app.id })
    expect(listed).toEqual({ items: [shown], next_cursor: null })
    const revoked = await call('revoke_chat_key', { id: made.id.toUpperCase() })
    expect(revoked).toEqual({ ...shown, revoked_at: expect.stringMatching(utc) })
  })

  test('a provider is returned without its key', async () => {
    const input = { provider: 'mine', api_key: 'sk-own', base_url: 'https://llm.example.com/v1/' }
    expect(await call('set_provider', input)).toEqual({
      provider: 'mine',
      base_url: 'https://llm.example.com/v1',
      has_key: true,
    })
  })

  test('models are listed with their abilities, and the default is marked', async () => {
    expect(await call('list_models', { provider: 'local' })).toEqual({
      items: [
        {
          id: 'local/extractive',
          provider: 'local',
          name: 'extractive',
          default: true,
          vision: false,
          tools: false,
          audio: false,
        },
      ],
      next_cursor: null,
      problems: [],
    })
  })

  test('a workspace is one record with its name, its plan and the caller’s role', async () => {
    const made = await call('create_workspace', { name: ' Second ' })
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Second',
      plan: 'builder',
      role: 'owner',
      owners_need_second_factor: false,
      created_at: expect.stringMatching(utc),
      updated_at: expect.stringMatching(utc),
    })
    const workspace_id = made.id
    expect(await call('get_workspace', { workspace_id })).toEqual(made)
    expect(await call('update_workspace', { workspace_id, name: 'Renamed' })).toMatchObject({
      name: 'Renamed',
    })
    expect(await call('set_plan', { workspace_id, plan: 'free' })).toMatchObject({ plan: 'free' })
    expect((await call('list_workspaces')).items).toHaveLength(2)
    expect(await call('get_workspace')).toMatchObject({ id: ada.workspaceId })
  })

  test('agents are found by a part of their name, in any letter case, and listed by name page by page', async () => {
    const eve = await instance.person()
    const as = async (input: Record<string, unknown>) =>
      (await runOperation(instance.ctx, actorOf(eve), findOperation('list_apps')!, input)) as Answer
    for (const name of ['Tea 100%', 'coffee', 'Cocoa', 'tea_room'])
      await runOperation(instance.ctx, actorOf(eve), findOperation('create_app')!, { name })
    const names = ({ items }: Answer) => items.map(({ name }) => name)
    expect(names(await as({ query: 'TEA' }))).toEqual(['tea_room', 'Tea 100%'])
    expect(names(await as({ query: '100%' }))).toEqual(['Tea 100%'])
    expect(names(await as({ query: '_' }))).toEqual(['tea_room'])
    const first = await as({ sort: 'name', limit: 3 })
    const rest = await as({ sort: 'name', limit: 3, cursor: first.next_cursor })
    expect(names(first).slice(0, 2)).toEqual(['Cocoa', 'coffee'])
    expect(new Set([...names(first), ...names(rest)]).size).toBe(4)
    expect(rest.next_cursor).toBeNull()
  })
})
