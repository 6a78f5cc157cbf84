import { beforeAll, expect, test } from 'vitest'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { createAgent, rollbackAgent, updateAgent } from './index.ts'

describeInstance('the model id of an agent', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  test('another spelling of a model is stored in its only spelling, also by an update', async () => {
    const model = 'google/models/Gemini-2.5-Pro'
    const agent = await createAgent(instance.ctx, ada, { name: 'Spelt', model })
    expect(agent.settings.model).toBe('google/gemini-2.5-pro')
    const updated = await updateAgent(instance.ctx, ada, agent.id, {
      model: 'ollama/library/llama3.2:latest',
    })
    expect(updated.settings.model).toBe('ollama/llama3.2')
  })

  test('an update to an id that its provider does not allow is refused', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Kept' })
    for (const model of ['google/../../admin/x?', 'ollama/%2e%2e/x', ''])
      await expect(updateAgent(instance.ctx, ada, agent.id, { model })).rejects.toMatchObject({
        code: 'model_unknown',
      })
  })

  test('a rollback does not restore a model id that is not valid, and respells another one', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Restored' })
    const store = (version: number, model: string) =>
      instance.ctx.db.write((tx) =>
        tx
          .updateTable('agent_versions')
          .set({ settings_json: JSON.stringify({ ...agent.settings, model }) })
          .where('agent_id', '=', agent.id)
          .where('version', '=', version)
          .execute(),
      )
    await updateAgent(instance.ctx, ada, agent.id, { greeting: 'Hello' })
    await store(1, 'google/../../admin/x?')
    await expect(rollbackAgent(instance.ctx, ada, agent.id, 1)).rejects.toMatchObject({
      code: 'model_unknown',
    })
    await store(1, 'google/models/gemini-2.5-pro')
    const back = await rollbackAgent(instance.ctx, ada, agent.id, 1)
    expect(back.settings.model).toBe('google/gemini-2.5-pro')
  })
})
