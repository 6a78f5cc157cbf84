import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

describeChat('a model whose circuit was open for its time is called again', (open) => {
  /** After one failure and the time that its circuit is open. */
  async function openAfterFailure() {
    const scripts: Record<string, ModelScript> = { first: { reply: '', status: 500 } }
    const chat = await open({
      model: { script: ({ body }) => scripts[String(body.model)] ?? { reply: 'second' } },
      environment: { MODEL_CIRCUIT_FAILURES: '1', MODEL_CIRCUIT_OPEN_MS: '1000' },
    })
    const settings = { model: 'openai/first', fallback_models: ['openai/second'] }
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, settings)
    await chat.say('?')
    chat.advance(1000)
    return { chat, scripts }
  }

  test('after a call that it refused', async () => {
    const { chat, scripts } = await openAfterFailure()
    scripts.first = { reply: '', status: 400 }
    expect((await chat.say('?')).status).toBe(502)
    scripts.first = { reply: 'back' }
    expect((await answerOf(chat.say('?'))).choices[0].message.content).toBe('back')
  })

  test('after a call whose client disconnected', async () => {
    const { chat, scripts } = await openAfterFailure()
    scripts.first = { reply: 'late', firstByteMs: 2_000 }
    const client = new AbortController()
    const messages = [{ role: 'user', content: '?' }]
    const probe = chat.app.request('/api/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: chat.agent.app_name_id, messages }),
      signal: client.signal,
    })
    await chat.model.request(2)
    client.abort()
    await probe
    scripts.first = { reply: 'back' }
    expect((await answerOf(chat.say('?'))).choices[0].message.content).toBe('back')
  })
})
