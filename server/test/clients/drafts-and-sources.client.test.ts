import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeEngines, environmentOf } from '#test/support/databases/engines.ts'
import {
  cleansUp,
  parley,
  startParley,
  type Environment,
} from '#test/support/processes/parley-process.ts'

cleansUp()

type Answer = Readonly<Record<string, unknown>>
type Call = (name: string, input: Answer) => Promise<Answer>

/** Runs `parley call`, as people and scripts do. */
function commandLine(environment: Environment): Call {
  return async (name, input) => {
    const { stdout, stderr } = await parley(['call', name, JSON.stringify(input)], environment)
    expect(stderr).toBe('')
    return JSON.parse(stdout) as Answer
  }
}

/** Calls tools with version 2 of the MCP SDK, unmodified. */
async function overMcp(baseUrl: string, key: string): Promise<Call> {
  const client = new Client({ name: 'drafts', version: '1' })
  const headers = { authorization: `Bearer ${key}` }
  const url = new URL(`${baseUrl}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return async (name, input) => {
    const { structuredContent, isError, content } = await client.callTool({
      name,
      arguments: { ...input },
    })
    expect(isError, JSON.stringify(content)).not.toBe(true)
    return structuredContent as Answer
  }
}

describeEngines('a person who manages agents without the dashboard', (engine) => {
  const callers = new Map<string, Call>()

  // cleansUp ends the service after each test.
  beforeEach(async () => {
    const environment = { ...environmentOf(engine), DEMO: 'false' }
    const service = await startParley(environment)
    const run = commandLine(environment)
    const { key } = await run('create_developer_key', { name: 'Assistant' })
    callers.set('over MCP', await overMcp(service.baseUrl, String(key)))
    callers.set('on the command line', run)
  }, 60_000)

  describe.each(['over MCP', 'on the command line'])('%s', (surface) => {
    const call: Call = async (name, input) => {
      const caller = callers.get(surface)
      if (caller === undefined) throw new Error(`no caller ${surface}`)
      return await caller(name, input)
    }

    test('changes only the draft with publish false, and callers get it when it is published', async () => {
      const { id: app_id } = await call('create_app', { name: 'Shop', greeting: 'Hello' })
      await call('update_app', { app_id, publish: false, greeting: 'Good day' })
      const drafted = await call('get_app', { app_id })
      expect(drafted).toMatchObject({
        greeting: 'Hello',
        version: 1,
        draft: { changes: { greeting: 'Good day' } },
      })
      const published = await call('publish_app_draft', { app_id })
      expect(published).toMatchObject({ greeting: 'Good day', version: 2 })
      expect(await call('get_app', { app_id })).not.toHaveProperty('draft')
    })

    test('changes the title and the text of a source, which is then read again', async () => {
      const { id: app_id } = await call('create_app', { name: 'Guide' })
      const text = { title: 'Animals', text: 'The okapi wakes at noon.' }
      const { id: source_id } = await call('add_knowledge_source', {
        app_id,
        kind: 'text',
        ...text,
      })
      const found = async (query: string) => {
        const { items } = await call('search_knowledge', { app_id, query })
        return (items as { title: string }[]).map(({ title }) => title)
      }
      await expect.poll(() => found('okapi'), { timeout: 30_000 }).toEqual(['Animals'])
      const changes = { title: 'Zoo', text: 'The pangolin sleeps at noon.' }
      expect(await call('update_knowledge_source', { source_id, ...changes })).toMatchObject({
        title: 'Zoo',
      })
      await expect.poll(() => found('pangolin'), { timeout: 30_000 }).toEqual(['Zoo'])
      expect(await found('okapi')).toEqual([])
    }, 90_000)
  })
})
