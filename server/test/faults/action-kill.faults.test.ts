import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { callOperation } from './call-operation.ts'
import { kill } from './kill.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

describeEngines('kill -9 during an action', (engine) => {
  cleansUp()

  test('the recorded call is never repeated, and the conversation continues', async () => {
    const model = await startModelServer({
      script: (_, n) =>
        n === 0 ? { reply: '', toolCalls: [{ name: 'book_table' }] } : { reply: 'Good evening.' },
    })
    const api = await startActionServer((response, request) =>
      // The first booking gets no response: its caller is killed while it waits.
      api.requests.length > 1 ? json({})(response, request) : undefined,
    )
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      OUTBOUND_ALLOW_PRIVATE: api.host,
    }
    const call = (operation: string, input: object) => callOperation(environment, operation, input)
    const agent = await call('create_app', { name: 'Waiter', model: 'openai/mock' })
    const { key } = await call('create_chat_key', { app_id: agent.id, name: 'faults' })
    await call('create_custom_action', {
      app_id: agent.id,
      name: 'book_table',
      description: 'Books a table',
      method: 'POST',
      url: `${api.origin}/tables`,
      timeout_ms: 60_000,
    })
    const sessionId = randomUUID()
    const say = (origin: string, content: string) =>
      fetch(`${origin}/api/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-chat-session-id': sessionId,
        },
        body: JSON.stringify({
          model: agent.app_name_id,
          messages: [{ role: 'user', content }],
        }),
      })
    const calls = () =>
      engine.database().read.selectFrom('action_calls').select(['name', 'status']).execute()

    const first = await startParley(environment)
    const cut = say(first.origin, 'A table for two!').then(
      () => 'answered',
      () => 'cut',
    )
    await api.seen(1)
    expect(await calls(), 'the call is recorded before it is made').toEqual([
      { name: 'book_table', status: 'running' },
    ])
    await kill(first, engine.database())
    expect(await cut).toBe('cut')

    const killedAt = performance.now()
    const second = await startParley(environment)
    const answer = await say(second.origin, 'Hello?')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Good evening.')
    const healthyAfterMs = performance.now() - killedAt
    expect(api.requests).toHaveLength(1)
    expect(await calls()).toHaveLength(1)
    recordFault({
      fault: 'kill -9 during an action: its call is recorded and not repeated',
      engine: engine.name,
      tries: 2,
      lost: 0,
      failed: 1,
      healthyAfterMs,
    })
    second.signal('SIGTERM')
    await second.finished
    await model.stop()
  })
})
