import { beforeAll, describe, expect, test } from 'vitest'
import type { Fault } from '#kernel/fault.ts'
import { createAgent } from '#features/agents/index.ts'
import { startActionServer } from '#test/support/servers/action-server.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { actorOf } from '#test/support/test-instance.ts'
import type { ScriptedCall } from '#test/support/servers/model-wires.ts'
import {
  startRemoteMcpServer,
  type RemoteMcpServer,
} from '#test/support/servers/remote-mcp-server.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

const headers = { Authorization: 'Bearer remote-secret' }

describeChat('a remote MCP server', (open) => {
  function call({ ctx, owner }: ChatService, name: string, input: Record<string, unknown>) {
    return runOperation(ctx, actorOf(owner), findOperation(name)!, input)
  }

  async function openWith(calls: readonly ScriptedCall[]) {
    return await open({
      model: {
        script: (_, n) => (n === 0 ? { reply: '', toolCalls: calls } : { reply: 'Done.' }),
      },
      environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
    })
  }

  function add(chat: ChatService, remote: { url: string }, more: Record<string, unknown> = {}) {
    const server = { app_id: chat.agent.id, name: 'remote', url: remote.url, headers }
    return call(chat, 'add_mcp_server', { ...server, ...more })
  }

  async function toolCalls(chat: ChatService, sessionId: string) {
    const { messages } = await call(chat, 'get_conversation', { session_id: sessionId })
    const { items } = messages as { items: { tool_calls: Record<string, unknown>[] }[] } // A list.
    return items.flatMap((message) => message.tool_calls)
  }

  function offered(chat: ChatService): string[] {
    const { tools = [] } = chat.model.requests[0]!.body as {
      tools?: { function: { name: string } }[]
    } // OpenAI's.
    return tools.map((tool) => tool.function.name)
  }

  describe.each(['modern', 'legacy'] as const)('of the %s era', (era) => {
    let remote: RemoteMcpServer

    beforeAll(async () => {
      remote = await startRemoteMcpServer(era)
    })

    test('that was imported without credentials is replaced by one that has them', async () => {
      const chat = await open({ environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' } })
      await add(chat, remote)
      const { document } = await call(chat, 'export_app', { app_id: chat.agent.id })
      const { id } = await call(chat, 'import_app', { document })
      const list = () => call(chat, 'list_mcp_servers', { app_id: id })
      expect(await list()).toMatchObject({ items: [{ name: 'remote', tools: [] }] })
      const added = await add(chat, remote, { app_id: id })
      expect(await list()).toEqual({ items: [added], next_cursor: null })
      await expect(add(chat, remote, { app_id: id })).rejects.toMatchObject({
        code: 'mcp_server_name_taken',
      })
    })

    test('is listed when it is added, and shown without its secrets', async () => {
      const chat = await open({ environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' } })
      const query = '?api_key=query-secret'
      const added = await add(chat, { url: remote.url + query })
      expect(added).toMatchObject({
        name: 'remote',
        url: remote.url,
        header_names: ['Authorization'],
        error: null,
        tools: [
          { name: 'add', description: 'Adds two numbers' },
          { name: 'echo' },
          { name: 'fail' },
          { name: 'odd.name.with.dots' },
        ],
      })
      const list = await call(chat, 'list_mcp_servers', { app_id: chat.agent.id })
      expect(list).toEqual({ items: [added], next_cursor: null })
      const rows = await chat.ctx.db.read.selectFrom('tool_servers').selectAll().execute()
      for (const text of [list, rows])
        expect(JSON.stringify(text)).not.toMatch(/remote-secret|query-secret/)
      await call(chat, 'remove_mcp_server', { server_id: added.id })
      expect(await call(chat, 'list_mcp_servers', { app_id: chat.agent.id })).toMatchObject({
        items: [],
      })
    })

    test('receives the model’s calls with its credential, which is masked in responses', async () => {
      const chat = await openWith([
        { name: 'remote__add', arguments: { a: 2, b: 40 } },
        { name: 'remote__echo' },
        { name: 'remote__fail' },
        { name: 'remote__odd_name_with_dots' },
      ])
      await add(chat, remote)
      const before = remote.calls.length
      const { choices, chatSessionId } = await answerOf(chat.say('Add them'))
      expect(choices[0].message.content).toBe('Done.')
      expect(offered(chat)).toEqual([
        'remote__add',
        'remote__echo',
        'remote__fail',
        'remote__odd_name_with_dots',
      ])
      expect(remote.calls.slice(before)).toHaveLength(4)
      expect(new Set(remote.authorizations)).toEqual(new Set(['Bearer remote-secret']))
      expect(await toolCalls(chat, chatSessionId)).toMatchObject([
        { kind: 'mcp', name: 'remote__add', status: 'done', response: 'The sum is 42.' },
        { name: 'remote__echo', status: 'done', response: expect.stringContaining('••••••') },
        { name: 'remote__fail', status: 'failed', error_code: 'tool_error', response: 'It broke.' },
        { status: 'done', response: 'The sum is NaN.' },
      ])
      const results = JSON.stringify(chat.model.requests[1]?.body)
      expect(results).toContain('The sum is 42.')
      expect(results).not.toContain('remote-secret')
    })

    test('offers only allowed tools, and asks for confirmation if required', async () => {
      const chat = await openWith([{ name: 'remote__add', arguments: { a: 1, b: 1 } }])
      await add(chat, remote, { allowed_tools: ['add'], requires_confirmation: true })
      const before = remote.calls.length
      const first = await answerOf(chat.say('Add them'))
      expect(offered(chat)).toEqual(['remote__add'])
      expect(first.choices[0].message.content).toContain('- Add numbers (a: 1, b: 1)')
      expect(remote.calls).toHaveLength(before)
      await chat.say('yes', { chatSessionId: first.chatSessionId })
      expect(remote.calls.slice(before)).toEqual([{ name: 'add', args: { a: 1, b: 1 } }])
    })
  })

  test('is asked for its tools again after five minutes, not in every turn', async () => {
    const remote = await startRemoteMcpServer('modern')
    const chat = await openWith([])
    await add(chat, remote)
    await chat.say('one')
    await chat.say('two')
    expect(remote.listed()).toBe(1)
    chat.advance(5 * 60_000)
    await chat.say('three')
    expect(remote.listed()).toBe(2)
  })

  test('that stops responding offers its last tools, and calls fail with a clear error', async () => {
    const remote = await startRemoteMcpServer('modern')
    const chat = await openWith([{ name: 'remote__add', arguments: { a: 1, b: 1 } }])
    await add(chat, remote, { timeout_ms: 300 })
    remote.goSilent()
    chat.advance(5 * 60_000)
    const { choices, chatSessionId } = await answerOf(chat.say('Add them'))
    expect(choices[0].message.content).toBe('Done.')
    expect(offered(chat)).toContain('remote__add')
    expect(await toolCalls(chat, chatSessionId)).toMatchObject([
      { status: 'failed', error_code: 'timeout' },
    ])
    const { items } = await call(chat, 'list_mcp_servers', { app_id: chat.agent.id })
    expect(items).toMatchObject([{ error: 'timeout' }])
  })

  describe('is not added', () => {
    let chat: ChatService

    beforeAll(async () => {
      chat = await open({ environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' } })
    })

    async function refusal(remote: { url: string }, more: Record<string, unknown> = {}) {
      return await add(chat, remote, more).then(
        () => {
          throw new Error('it was added')
        },
        (error: unknown) => error as Fault, // Anything else fails the comparison.
      )
    }

    test.each([
      ['web page', 200, 'text/html', '<title>Welcome</title>', /does not answer as an MCP/],
      ['server that wants another key', 401, 'application/json', '{}', /refused the credentials/],
      ['server that redirects', 302, 'text/plain', '', /does not answer as an MCP|could not be/],
      ['server that fails', 500, 'text/plain', 'remote-secret', /does not answer as an MCP/],
    ])('when it is a %s', async (_, status, type, body, problem) => {
      const web = await startActionServer((response) => {
        response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:1/' })
        response.end(body)
      })
      const fault = await refusal({ url: `${web.origin}/mcp` })
      expect(fault).toMatchObject({
        code: 'mcp_server_unusable',
        facts: { problem: expect.stringMatching(problem) },
      })
      expect(JSON.stringify(fault.facts)).not.toContain('remote-secret')
    })

    test('if its list of tools is too large', async () => {
      const web = await startActionServer((response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(`{"x":"${'x'.repeat(5_000_000)}"}`)
      })
      expect(await refusal({ url: web.origin })).toMatchObject({ code: 'mcp_server_unusable' })
    })

    test.each([
      ['ftp://a.example/', {}, /http\(s\) address/],
      ['https://a:b@c.example/', {}, /must not contain a user or password/],
      ['https://a.example/', { headers: { 'a b': 'c' } }, /not a valid header/],
    ])('at %s with %j', async (url, more, problem) => {
      expect(await refusal({ url }, more)).toMatchObject({
        code: 'mcp_server_invalid',
        facts: { problem: expect.stringMatching(problem) },
      })
    })

    test('twice under one name, also concurrently', async () => {
      const remote = await startRemoteMcpServer('modern')
      const { id } = await createAgent(chat.ctx, chat.owner, { name: 'Another' })
      const both = await Promise.allSettled([1, 2].map(() => add(chat, remote, { app_id: id })))
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await refusal(remote, { app_id: id })).toMatchObject({
        code: 'mcp_server_name_taken',
      })
    })
  })
})
