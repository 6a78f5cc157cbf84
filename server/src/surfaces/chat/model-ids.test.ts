import { beforeAll, describe, expect, test } from 'vitest'
import { agentsWithInvalidModel } from '#features/agents/index.ts'
import { setPrice } from '#features/credits/index.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'

/** Stores a model id as a version without checks did. */
async function storeModel({ ctx, agent }: ChatService, model: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const { settings_json } = await tx
      .selectFrom('agents')
      .select('settings_json')
      .where('id', '=', agent.id)
      .executeTakeFirstOrThrow()
    const settings = JSON.stringify({ ...JSON.parse(settings_json), model })
    await tx
      .updateTable('agents')
      .set({ settings_json: settings })
      .where('id', '=', agent.id)
      .execute()
  })
}

describeChat('an agent whose model id was stored unchecked', (open) => {
  let service: ChatService

  beforeAll(async () => {
    service = await open()
    const { origin } = service.model
    service = await open({
      server: service.model,
      environment: {
        GOOGLE_API_KEY: 'g-operator',
        GOOGLE_BASE_URL: origin,
        OLLAMA_BASE_URL: origin,
        OPENAI_API_KEY: 'sk-operator',
        OPENAI_BASE_URL: `${origin}/v1`,
      },
    })
  })

  describe('fails with a clear error, and the provider receives nothing', () => {
    test.each([
      'google/../../admin/x?',
      'google/x:generateContent?',
      'google/gemini%2D2.5-pro',
      'google/a/../b',
      'ollama/../../api/delete',
      'openai/a?b',
      'gemini',
    ])('%s', async (model) => {
      await storeModel(service, model)
      const before = service.model.requests.length
      for (const stream of [false, true]) {
        const response = await service.say('hello', { stream })
        expect(response.status).toBe(502)
        expect(await response.json()).toEqual({ error: 'The model id of this agent is not valid' })
      }
      expect(service.model.requests.length).toBe(before)
      expect(await agentsWithInvalidModel(service.ctx)).toEqual([
        { appNameId: service.agent.app_name_id, model },
      ])
    })
  })

  test.each([
    ['google/models/gemini-2.5-pro', 'google/gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:'],
    ['google/Gemini-2.5-PRO', 'google/gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:'],
    ['ollama/library/Llama3.2:latest', 'ollama/llama3.2', '/v1/chat/completions'],
  ])('%s is sent, stored and priced as %s', async (alias, canonical, path) => {
    await storeModel(service, alias)
    const { ctx, owner, agent } = service
    const perCall = { promptMicrosPerMillion: 0, completionMicrosPerMillion: 0, callMicros: 7 }
    await setPrice(ctx, owner.userId, { pattern: canonical, price: perCall })
    expect((await service.say('hello')).status).toBe(200)
    expect(service.model.requests.at(-1)?.path).toContain(path)
    expect(await agentsWithInvalidModel(ctx)).toEqual([])
    const message = await ctx.db.read
      .selectFrom('chat_messages')
      .innerJoin('chat_sessions', 'chat_sessions.id', 'chat_messages.session_id')
      .where('chat_sessions.agent_id', '=', agent.id)
      .where('chat_messages.role', '=', 'assistant')
      .orderBy('chat_messages.id', 'desc')
      .select(['chat_messages.model'])
      .executeTakeFirstOrThrow()
    expect(message.model).toBe(canonical)
    const entry = await ctx.db.read
      .selectFrom('credit_entries')
      .where('workspace_id', '=', owner.workspaceId)
      .where('model', '=', canonical)
      .orderBy('id', 'desc')
      .select('amount_micros')
      .executeTakeFirstOrThrow()
    expect(Math.abs(entry.amount_micros)).toBe(7)
  })

  test('a price that was stored for another spelling is the price of the model', async () => {
    const { ctx, owner } = service
    await ctx.db.write((tx) =>
      tx
        .insertInto('credit_prices')
        .values({
          id: crypto.randomUUID(),
          pattern: 'google/models/gemini-9',
          prompt_micros_per_million: 0,
          completion_micros_per_million: 0,
          call_micros: 11,
          cached_micros_per_million: null,
          valid_from: 0,
          created_by: owner.userId,
          created_at: 0,
        })
        .execute(),
    )
    await storeModel(service, 'google/gemini-9')
    expect((await service.say('hello')).status).toBe(200)
    const entries = await ctx.db.read
      .selectFrom('credit_entries')
      .where('model', '=', 'google/gemini-9')
      .select('amount_micros')
      .execute()
    expect(entries.map(({ amount_micros }) => Math.abs(amount_micros))).toEqual([11])
  })
})
