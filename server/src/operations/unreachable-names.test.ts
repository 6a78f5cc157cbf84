import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { faultMessage } from './fault-wording.ts'
import { runOperation } from './run-operation.ts'

type Answer = Record<string, unknown>

/** None of them may be dialled: two private ones, and two that do not exist. */
const names = ['localhost', 'ip6-localhost', 'nothing.invalid', 'other.invalid']

describeInstance('an operation that calls a typed address', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  function call(name: string, input: Answer): Promise<Answer> {
    return runOperation(instance.ctx, actorOf(ada), findOperation(name)!, input)
  }

  /** What the caller learns, without the time and the address that it gave. */
  async function answerTo(name: string, input: Answer, host: string): Promise<string> {
    const answer = await call(name, input).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error
      return { fault: error.code, message: faultMessage(error), facts: error.facts }
    })
    return JSON.stringify(answer, (key, value: unknown) =>
      /duration|latency/.test(key) ? 0 : value,
    ).replaceAll(`//${host}`, '//HOST')
  }

  async function sameFor(answers: (host: string) => Promise<string>): Promise<string> {
    const given = new Set(await Promise.all(names.map(answers)))
    expect([...given]).toEqual([[...given][0]])
    return [...given].join()
  }

  test('answers the same for every name that may not be dialled: testing a provider', async () => {
    const said = await sameFor((host) =>
      answerTo('test_provider', { provider: 'mine', base_url: `http://${host}/v1` }, host),
    )
    expect(said).toContain('cannot be reached from here')
  })

  test('answers the same: testing an action', async () => {
    const { id } = await call('create_custom_action', {
      app_id: agent.id,
      name: 'look',
      description: 'Looks',
      method: 'GET',
      url: 'https://{{var.HOST}}/',
    })
    const said = new Set<string>()
    for (const host of names) {
      await call('set_app_variable', { app_id: agent.id, name: 'HOST', value: host })
      said.add(await answerTo('test_custom_action', { action_id: id }, host))
    }
    expect([...said]).toEqual([expect.stringContaining('The server could not be reached.')])
  })

  test('answers the same: adding an MCP server, and importing from an address', async () => {
    const server = (host: string) => ({ app_id: agent.id, name: 'crm', url: `http://${host}/mcp` })
    expect(await sameFor((host) => answerTo('add_mcp_server', server(host), host))).toContain(
      'could not be reached',
    )
    const document = (host: string) => ({ app_id: agent.id, url: `http://${host}/openapi.json` })
    await sameFor((host) => answerTo('import_custom_actions', document(host), host))
  })
})
