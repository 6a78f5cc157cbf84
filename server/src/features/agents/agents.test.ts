import { beforeAll, describe, expect, test } from 'vitest'
import { changePlan } from '#features/credits/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  listAgentVersions,
  rollbackAgent,
  updateAgent,
} from './index.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

const allowed = ['tools', 'tool_choice', 'response_format', 'sampling', 'max_tokens']

describeInstance('agents', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
  })

  describe('creating an agent', () => {
    test('sets defaults, the first version, and a name id from the sequence that starts at 10001', async () => {
      const fresh = await open()
      const person = await fresh.person()
      const first = await createAgent(fresh.ctx, person, { name: 'Support Bot' })
      const second = await createAgent(fresh.ctx, person, { name: 'Support Bot' })
      expect(first).toMatchObject({ appNameId: 'support-bot-10001', version: 1 })
      expect(second.appNameId).toBe('support-bot-10002')
      expect(first.settings).toEqual({
        name: 'Support Bot',
        description: '',
        system_prompt: '',
        model: 'local/extractive',
        temperature: null,
        max_output_tokens: null,
        greeting: '',
        suggestions: [],
        retrieval: { mode: 'hybrid', top_k: 5, min_score: 0, vector_weight: null },
        fallback_models: [],
        max_tool_steps: 5,
        retention_days: null,
        allow_request_overrides: allowed,
        temperature_bounds: null,
        top_p_bounds: null,
        memory: 'none',
        memory_model: null,
        store_reasoning: false,
      })
      expect(await getAgent(fresh.ctx, person.workspaceId, first.id)).toEqual(first)
    })

    test('numbers are unique, even if agents are created at the same time', async () => {
      const people = await Promise.all([instance.person(), instance.person()])
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          createAgent(instance.ctx, people[n % 2]!, { name: `Racer ${n}` }),
        ),
      )
      const numbers = made.map(({ appNameId }) => appNameId.split('-').at(-1))
      expect(new Set(numbers).size).toBe(12)
    })

    test('of concurrent requests, one gets the last agent that the plan allows', async () => {
      const person = await instance.person({ plan: 'free' })
      await createAgent(instance.ctx, person, { name: 'One' })
      const attempts = await Promise.allSettled(
        Array.from({ length: 6 }, () => createAgent(instance.ctx, person, { name: 'More' })),
      )
      const refusals = attempts.filter((attempt) => attempt.status === 'rejected')
      expect(refusals).toHaveLength(4)
      for (const { reason } of refusals) {
        expect(reason).toMatchObject({
          code: 'plan_limit_reached',
          facts: { resource: 'agents', allowed: 3, plan: 'free' },
        })
      }
      const { items } = await listAgents(instance.ctx, person.workspaceId, { limit: 100 })
      expect(items).toHaveLength(3)
    })

    test('a deleted agent no longer counts, and a smaller plan removes no agents', async () => {
      const person = await instance.person()
      const made = []
      for (const name of ['A', 'B', 'C', 'D'])
        made.push(await createAgent(instance.ctx, person, { name }))
      await changePlan(instance.ctx, person, { plan: 'free' })
      const { items } = await listAgents(instance.ctx, person.workspaceId, { limit: 100 })
      expect(items).toHaveLength(4)
      await deleteAgent(instance.ctx, person.workspaceId, made[0]!.id)
      await expect(createAgent(instance.ctx, person, { name: 'E' })).rejects.toMatchObject({
        code: 'plan_limit_reached',
      })
      await deleteAgent(instance.ctx, person.workspaceId, made[1]!.id)
      await expect(createAgent(instance.ctx, person, { name: 'E' })).resolves.toBeDefined()
    })

    test.each([
      'gpt-5',
      'local/other',
      'nobody/knows',
      'OpenAI/gpt-5',
      'openai/',
      'google/../../admin/x?',
      'google/x:generateContent?',
      'google/gemini%2D2.5-pro',
      'openai/a?b',
      'anthropic/../x',
    ])('the model %j is refused', async (model) => {
      const person = await instance.person()
      await expect(createAgent(instance.ctx, person, { name: 'A', model })).rejects.toMatchObject({
        code: 'model_unknown',
        facts: { model },
      })
    })

    test.each(['openai/gpt-5', 'ollama/llama3:8b', 'anthropic/claude-x', 'google/gemini-x'])(
      'the model %j is taken before its provider has a key',
      async (model) => {
        const person = await instance.person()
        const agent = await createAgent(instance.ctx, person, { name: 'A', model })
        expect(agent.settings.model).toBe(model)
      },
    )
  })

  describe('updating an agent', () => {
    beforeAll(async () => {
      ada = await instance.person()
    })

    test('keeps other fields, creates a version, and never changes the name id', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Before', greeting: 'Hi' })
      const changed = await updateAgent(instance.ctx, ada, agent.appNameId, { name: 'After' })
      expect(changed).toMatchObject({
        id: agent.id,
        appNameId: agent.appNameId,
        version: 2,
        settings: { name: 'After', greeting: 'Hi' },
      })
      expect(await getAgent(instance.ctx, ada.workspaceId, agent.id)).toEqual(changed)
    })

    test('creates a version even if nothing differs, but requires at least one field', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Same' })
      const again = await updateAgent(instance.ctx, ada, agent.id, { name: 'Same' })
      expect(again.version).toBe(2)
      await expect(updateAgent(instance.ctx, ada, agent.id, {})).rejects.toMatchObject({
        code: 'nothing_to_change',
      })
    })

    test('an outdated expected version is refused and changes nothing', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Guarded' })
      await updateAgent(instance.ctx, ada, agent.id, { greeting: 'first' }, { expectedVersion: 1 })
      const late = updateAgent(
        instance.ctx,
        ada,
        agent.id,
        { greeting: 'x' },
        { expectedVersion: 1 },
      )
      await expect(late).rejects.toMatchObject({
        code: 'version_conflict',
        facts: { expected: 1, actual: 2 },
      })
      const now = await getAgent(instance.ctx, ada.workspaceId, agent.id)
      expect(now).toMatchObject({ version: 2, settings: { greeting: 'first' } })
    })

    test('of concurrent updates that expect the same version, one succeeds', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Contested' })
      const attempts = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) =>
          updateAgent(instance.ctx, ada, agent.id, { greeting: `${n}` }, { expectedVersion: 1 }),
        ),
      )
      const winners = attempts.filter((attempt) => attempt.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      for (const attempt of attempts) {
        if (attempt.status === 'rejected')
          expect(attempt.reason).toMatchObject({ code: 'version_conflict' })
      }
      expect(await getAgent(instance.ctx, ada.workspaceId, agent.id)).toEqual(winners[0]!.value)
    })

    test('updates that expect no version all succeed, each as a version of its own', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Busy' })
      const changed = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          updateAgent(instance.ctx, ada, agent.id, { greeting: `${n}` }),
        ),
      )
      const versions = changed.map(({ version }) => version).sort((a, b) => a - b)
      expect(versions).toEqual([2, 3, 4, 5, 6, 7])
    })
  })

  describe('its versions', () => {
    test('are listed from the newest to the first, with author and note', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'V1' })
      await updateAgent(instance.ctx, ada, agent.id, { name: 'V2' }, { note: 'better' })
      const { items } = await listAgentVersions(instance.ctx, ada.workspaceId, agent.id, {
        limit: 9,
      })
      expect(items).toMatchObject([
        { version: 2, current: true, settings: { name: 'V2' }, note: 'better' },
        { version: 1, current: false, settings: { name: 'V1' }, note: null },
      ])
      expect(items[0]!.author).toEqual({ id: ada.userId, name: ada.name, email: ada.email })
    })

    test('can be read one by one', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'V1' })
      await updateAgent(instance.ctx, ada, agent.id, { name: 'V2' })
      const old = await getAgent(instance.ctx, ada.workspaceId, agent.id, 1)
      expect(old).toMatchObject({ version: 1, settings: { name: 'V1' } })
      await expect(getAgent(instance.ctx, ada.workspaceId, agent.id, 3)).rejects.toMatchObject({
        code: 'version_not_found',
        facts: { version: 3, latest: 2 },
      })
    })

    test('a rollback creates a new version with the old content', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Old', greeting: 'Hello' })
      await updateAgent(instance.ctx, ada, agent.id, { name: 'New', greeting: '' })
      const back = await rollbackAgent(instance.ctx, ada, agent.id, 1)
      expect(back).toMatchObject({ version: 3, settings: agent.settings })
      const { items } = await listAgentVersions(instance.ctx, ada.workspaceId, agent.id, {
        limit: 9,
      })
      expect(items.map(({ version }) => version)).toEqual([3, 2, 1])
      expect((await listAgents(instance.ctx, ada.workspaceId, { limit: 1 })).items[0]).toEqual(back)
    })

    test('a rollback checks the expected version', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Old' })
      await updateAgent(instance.ctx, ada, agent.id, { name: 'New' })
      const late = rollbackAgent(instance.ctx, ada, agent.id, 1, { expectedVersion: 1 })
      await expect(late).rejects.toMatchObject({ code: 'version_conflict' })
    })
  })

  describe('finding an agent', () => {
    test('accepts the UUID and the name id, in any letter case', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Found' })
      for (const id of [agent.id, agent.id.toUpperCase(), agent.appNameId.toUpperCase()])
        expect(await getAgent(instance.ctx, ada.workspaceId, id)).toEqual(agent)
    })

    test('an agent of another workspace, an unknown id and a deleted agent give the same error', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Hidden' })
      const stranger = await instance.person()
      const notFound = { code: 'record_not_found', facts: {} }
      const { ctx } = instance
      await expect(getAgent(ctx, stranger.workspaceId, agent.id)).rejects.toMatchObject(notFound)
      await expect(getAgent(ctx, ada.workspaceId, unknownId)).rejects.toMatchObject(notFound)
      await deleteAgent(ctx, ada.workspaceId, agent.id)
      await expect(getAgent(ctx, ada.workspaceId, agent.id)).rejects.toMatchObject(notFound)
      await expect(deleteAgent(ctx, ada.workspaceId, agent.id)).rejects.toMatchObject(notFound)
      await expect(updateAgent(ctx, ada, agent.id, { name: 'x' })).rejects.toMatchObject(notFound)
    })

    test('a deleted agent keeps its record and versions in the database', async () => {
      const agent = await createAgent(instance.ctx, ada, { name: 'Kept' })
      const deleted = await deleteAgent(instance.ctx, ada.workspaceId, agent.id)
      expect(deleted.deletedAt).toBe(instance.ctx.clock.now())
      const row = await instance.ctx.db.read
        .selectFrom('agents')
        .select('deleted_at')
        .where('id', '=', agent.id)
        .executeTakeFirst()
      expect(row).toEqual({ deleted_at: deleted.deletedAt })
    })

    test('pages of the list skip and repeat nothing, newest first', async () => {
      const person = await instance.person()
      const made = []
      for (let n = 0; n < 5; n += 1)
        made.push(await createAgent(instance.ctx, person, { name: `Walk ${n}` }))
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page = await listAgents(instance.ctx, person.workspaceId, {
          limit: 2,
          ...(cursor === null ? {} : { cursor }),
        })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(seen).toEqual(made.map(({ id }) => id).toReversed())
    })
  })
})
