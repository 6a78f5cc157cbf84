import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import type { Fault } from '#kernel/fault.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { runOperation } from '#operations/run-operation.ts'

type Answer = Record<string, unknown>

describeInstance('variables of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' })
    ada = await instance.person()
  })
  beforeEach(async () => {
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  function call(name: string, input: Answer, narrower = {}): Promise<Answer> {
    return runOperation(instance.ctx, actorOf(ada, narrower), findOperation(name)!, input)
  }

  async function refusal(promise: Promise<unknown>): Promise<Fault & { said: string }> {
    const fault = await promise.then(
      () => {
        throw new Error('it was not refused')
      },
      (error: unknown) => error as Fault, // Anything else fails the comparison.
    )
    return Object.assign(fault, { said: faultMessage(fault) })
  }

  const variable = (more: Answer) => call('set_app_variable', { app_id: agent.id, ...more })

  test('are set, shown, changed and deleted', async () => {
    await variable({ name: 'REGION', value: 'eu', description: 'Where' })
    await variable({ name: 'LIMIT', type: 'number', value: 5 })
    await variable({
      name: 'API_KEY',
      type: 'secret',
      value: 'abcdef',
      hosts: ['API.example.com'],
    })
    const { items } = await call('list_app_variables', { app_id: agent.id })
    expect(items).toMatchObject([
      { name: 'API_KEY', type: 'secret', value: null, hosts: ['api.example.com'] },
      { name: 'LIMIT', type: 'number', value: 5, hosts: null },
      { name: 'REGION', type: 'string', value: 'eu', description: 'Where' },
    ])
    expect(await variable({ name: 'REGION', description: 'Which' })).toMatchObject({
      value: 'eu',
      description: 'Which',
    })
    await call('delete_app_variable', { app_id: agent.id, name: 'REGION' })
    const gone = call('delete_app_variable', { app_id: agent.id, name: 'REGION' })
    expect(await refusal(gone)).toMatchObject({ code: 'record_not_found' })
  })

  test.each([
    [{ name: 'A' }, /needs a value/],
    [{ name: 'A', type: 'number', value: '5' }, /must be a number/],
    [{ name: 'A', type: 'url', value: 'nowhere' }, /http\(s\) address/],
    [{ name: 'A', type: 'secret', value: 'abc' }, /at least 4/],
    [{ name: 'A', type: 'string', value: 'x', hosts: ['a.b'] }, /only a secret/],
    [{ name: 'lower', value: 'x' }, /capital letter/],
  ])('are not %j', async (input, message) => {
    expect((await refusal(variable(input))).said).toMatch(message)
  })

  test('are limited to 100, including those created from the credentials of an action', async () => {
    for (let n = 0; n < 99; n += 1) await variable({ name: `V${n}`, value: 'x' })
    const acting = (name: string, token: string) =>
      call('create_custom_action', {
        app_id: agent.id,
        name,
        description: 'Looks',
        method: 'GET',
        url: 'https://a.example',
        headers: { Authorization: `Bearer ${token}` },
      })
    const { id } = await acting('first', 'token-1')
    expect((await refusal(acting('second', 'token-2'))).code).toBe('too_many_variables')
    // A new value does not create a new variable.
    const headers = { Authorization: 'Bearer token-3' }
    await call('update_custom_action', { action_id: id, headers })
    const { items } = await call('list_custom_actions', { app_id: agent.id })
    expect(items).toHaveLength(1)
  })

  test('are limited to 100, also when the last two are created at once', async () => {
    for (let n = 0; n < 99; n += 1) await variable({ name: `V${n}`, value: 'x' })
    const last = ['A', 'B'].map((name) => variable({ name, value: 'x' }))
    const settled = await Promise.allSettled(last)
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await refusal(variable({ name: 'C', value: 'x' }))).toMatchObject({
      code: 'too_many_variables',
      facts: { allowed: 100 },
    })
    expect(await variable({ name: 'V0', value: 'y' })).toMatchObject({ value: 'y' })
  })

  test('that are missing are named by the calls that use them', async () => {
    const { id } = await call('create_custom_action', {
      app_id: agent.id,
      name: 'get_weather',
      description: 'The weather',
      method: 'GET',
      url: 'https://api.example.com/',
      headers: { 'X-Region': '{{var.REGION}}' },
    })
    const run = await call('test_custom_action', { action_id: id })
    expect(run).toMatchObject({
      error_code: 'variable_missing',
      error: 'The variable REGION has no value.',
    })
  })
})
