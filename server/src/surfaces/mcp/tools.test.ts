import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { operations } from '#operations/catalogue.ts'
import { outputJsonSchema } from '#operations/json-schema.ts'
import { answerOf, describeMcp, type McpService } from '#test/support/mcp-service.ts'
import { toolOutput } from './tool-schema.ts'
import { listTools, toolsets } from './tools.ts'

const everything = { toolsets: null, readOnly: false }

describe('the tools', () => {
  test('are within 14,000 tokens together', () => {
    expect(countTokens(JSON.stringify({ tools: listTools(everything) }))).toBeLessThanOrEqual(
      14_000,
    )
  })

  test('are the operations with the surface mcp, in the order of the catalogue', () => {
    const offered = operations.filter(({ surfaces }) => surfaces.includes('mcp'))
    expect(listTools(everything).map(({ name }) => name)).toEqual(offered.map(({ name }) => name))
  })

  test('use only what every client accepts: names, titles, four hints, object schemas', () => {
    for (const tool of listTools(everything)) {
      expect(tool.name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
      expect(tool.title).not.toBe('')
      expect(Object.keys(tool.annotations)).toEqual([
        'readOnlyHint',
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
      ])
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(tool.outputSchema).toMatchObject({ type: 'object' })
    }
  })

  test('publish what a call needs: names, types, what is required, choices and explanations', () => {
    const tool = listTools(everything).find(({ name }) => name === 'update_app')
    expect(tool?.inputSchema).toMatchObject({
      required: ['app_id'],
      additionalProperties: false,
      properties: {
        app_id: { type: 'string', description: 'UUID or app_name_id' },
        temperature: { type: ['number', 'null'] },
        suggestions: { type: 'array', items: { type: 'string' } },
      },
    })
    expect(JSON.stringify(tool?.inputSchema)).not.toMatch(/"(?:maximum|maxLength|pattern)"/)
  })

  test('all show their output schema: a long one once, in the tool that reads it', () => {
    const answerOf = (wanted: string) =>
      listTools(everything).find(({ name }) => name === wanted)?.outputSchema
    expect(answerOf('get_app')?.properties).toMatchObject({
      name: { type: 'string' },
      temperature: { type: ['number', 'null'] },
      retrieval: { type: 'object' },
    })
    for (const name of ['create_app', 'update_app', 'rollback_app'])
      expect(answerOf(name)).toEqual({ type: 'object', description: 'As in get_app' })
    for (const { name } of listTools(everything).filter((tool) => tool.name.startsWith('list_')))
      expect(answerOf(name)?.properties).toHaveProperty('items')
    const shown = listTools(everything).map(({ outputSchema }) => JSON.stringify(outputSchema))
    const long = shown.filter((schema) => schema.length >= 300)
    expect(new Set(long).size).toBe(long.length)
  })

  test.each(['core', 'apps', 'knowledge', 'actions', 'analytics', 'workspace', 'billing'])(
    'refer only to tools of their own list: toolset %s',
    (toolset) => {
      for (const readOnly of [false, true]) {
        const list = listTools({ toolsets: new Set([toolset]), readOnly })
        const names = list.map(({ name }) => name)
        for (const [, named] of JSON.stringify(list).matchAll(/"As in (\w+)"/g))
          expect(names).toContain(named)
        const all = operations.filter(({ name }) => names.includes(name))
        const shapes = new Set(all.map((one) => JSON.stringify(toolOutput(outputJsonSchema(one)))))
        const shown = list.filter(({ outputSchema }) => outputSchema.description === undefined)
        const included = new Set(shown.map(({ outputSchema }) => JSON.stringify(outputSchema)))
        expect(included).toEqual(shapes)
      }
    },
  )

  test('explain a long field once: the others refer to that tool', () => {
    const parametersOf = (wanted: string) =>
      listTools(everything).find(({ name }) => name === wanted)?.inputSchema.properties
    expect(parametersOf('create_custom_action')).toMatchObject({
      parameters: { type: 'array', items: { properties: { instructions: {} } } },
    })
    expect(parametersOf('update_custom_action')).toMatchObject({
      parameters: { type: 'array', description: 'As in create_custom_action' },
    })
  })

  test('publish schemas that a strict validator compiles', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
    addFormats.default(ajv)
    for (const { inputSchema, outputSchema } of listTools(everything))
      for (const schema of [inputSchema, outputSchema])
        expect(() => ajv.compile(schema)).not.toThrow()
  })

  test('allow additional fields in answers: a client may have an older list than the service', () => {
    for (const { outputSchema } of listTools(everything))
      expect(JSON.stringify(outputSchema)).not.toContain('additionalProperties')
  })

  test('lists with pages accept limit and cursor', () => {
    for (const { name, inputSchema } of listTools(everything))
      if (name.startsWith('list_'))
        expect(inputSchema.properties).toMatchObject({ limit: {}, cursor: {} })
  })

  test('include nothing that issues keys, sets plans or changes grants', () => {
    const names = listTools(everything).map(({ name }) => name)
    for (const name of names) expect(name).not.toMatch(/key|plan|provider|connected|member/)
  })
})

describeMcp('tools/list', (open) => {
  async function names(service: McpService, query = '', headers = {}): Promise<string[]> {
    const { result } = await service.rpc('tools/list', {}, { query, headers })
    return (result.tools as { name: string }[]).map(({ name }) => name)
  }

  function namesOf(keep: (operation: (typeof operations)[number]) => boolean): string[] {
    const offered = operations.filter(({ surfaces }) => surfaces.includes('mcp'))
    return offered.filter(keep).map(({ name }) => name)
  }

  test('shows all tools whatever the scopes, so that a client can ask for more', async () => {
    const service = await open()
    const key = await service.makeKey(service.owner, { scopes: ['billing:read'] })
    const { result } = await service.rpc('tools/list', {}, { key })
    expect(result.tools).toEqual(listTools(everything))
  })

  test('answers in one page: clients are known to drop the second', async () => {
    const { rpc } = await open()
    expect((await rpc('tools/list')).result).not.toHaveProperty('nextCursor')
  })

  test.each(['', '?toolsets=knowledge,apps', '?toolsets=apps,knowledge', '?read_only=true'])(
    'is the definitions, letter for letter, in both eras: %s',
    async (query) => {
      const service = await open()
      const parameters = new URLSearchParams(query)
      const toolsets = parameters.get('toolsets')?.split(',')
      const wanted = listTools({
        toolsets: toolsets === undefined ? null : new Set(toolsets),
        readOnly: parameters.has('read_only'),
      })
      const listed = await service.rpc('tools/list', {}, { query })
      expect(JSON.stringify(listed.result.tools)).toBe(JSON.stringify(wanted))
      const modern = await answerOf(service.modern('tools/list', {}, { query }))
      expect(JSON.stringify(modern.result.tools)).toBe(JSON.stringify(wanted))
      expect(modern.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' })
    },
  )

  test('is the same for a client that accepts only a stream', async () => {
    const service = await open()
    const list = { jsonrpc: '2.0', id: '"tools":[]', method: 'tools/list' }
    const headers = { accept: 'text/event-stream' }
    const text = await (await service.post(list, { headers })).text()
    const { id, result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')
    expect(id).toBe('"tools":[]')
    expect(result.tools).toHaveLength(listTools({ toolsets: null, readOnly: false }).length)
  })

  test('?toolsets= and X-MCP-Toolsets restrict it, together to the toolsets in both', async () => {
    const service = await open()
    const ofApps = namesOf(({ toolset }) => toolset === 'apps')
    const two = namesOf(({ toolset }) => toolset === 'apps' || toolset === 'knowledge')
    expect(await names(service, '?toolsets=apps')).toEqual(ofApps)
    expect(await names(service, '?toolsets=apps,%20knowledge')).toEqual(two)
    expect(await names(service, '?toolsets=apps&toolsets=knowledge')).toEqual(two)
    expect(await names(service, '', { 'x-mcp-toolsets': 'apps' })).toEqual(ofApps)
    const both = await names(service, '?toolsets=apps,knowledge', { 'x-mcp-toolsets': 'apps,core' })
    expect(both).toEqual(ofApps)
  })

  test('a list of toolsets that names none counts as unset', async () => {
    const service = await open()
    const all = namesOf(() => true)
    for (const query of ['?toolsets=', '?toolsets', '?toolsets=,%20'])
      expect(await names(service, query)).toEqual(all)
    expect(await names(service, '', { 'x-mcp-toolsets': '' })).toEqual(all)
    const one = await names(service, '?toolsets=', { 'x-mcp-toolsets': 'apps' })
    expect(one).toEqual(namesOf(({ toolset }) => toolset === 'apps'))
    const nothing = await names(service, '?toolsets=knowledge', { 'x-mcp-toolsets': 'apps' })
    expect(nothing).toEqual([])
  })

  test('?read_only=true and X-MCP-Readonly leave only tools that change nothing', async () => {
    const service = await open()
    const reading = namesOf(({ hints }) => hints.readOnly)
    expect(await names(service, '?read_only=true')).toEqual(reading)
    expect(await names(service, '?read_only')).toEqual(reading)
    expect(await names(service, '?read_only=false&read_only=true')).toEqual(reading)
    expect(await names(service, '', { 'x-mcp-readonly': 'true' })).toEqual(reading)
    const all = namesOf(() => true)
    expect(await names(service, '?read_only=false')).toEqual(all)
    const contradicted = await names(service, '?read_only=false', { 'x-mcp-readonly': '1' })
    expect(contradicted).toEqual(reading)
  })

  test('an unknown toolset is refused with its name and the known ones', async () => {
    const { post } = await open()
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
    const response = await post(message, { query: '?toolsets=apps,nonsense' })
    expect(response.status).toBe(400)
    expect(await answerOf(response)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32602,
        message: `There is no toolset nonsense; there are ${toolsets().join(', ')}`,
      },
    })
  })

  test('a connection cannot call a tool that it excluded, and the attempt is recorded', async () => {
    const { rpc, ctx, owner } = await open()
    const call = { name: 'create_app', arguments: { name: 'x' } }
    for (const query of ['?read_only=true', '?toolsets=knowledge']) {
      const { error } = await rpc('tools/call', call, { query })
      expect(error).toMatchObject({ code: -32602 })
    }
    const stored = await ctx.db.read.selectFrom('agents').selectAll().execute()
    expect(stored).toEqual([])
    const events = await ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'outcome', 'user_id', 'client'])
      .where('workspace_id', '=', owner.workspaceId)
      .execute()
    const refused = {
      action: 'create_app',
      outcome: 'refused',
      user_id: owner.userId,
      client: 'test key',
    }
    expect(events).toEqual([refused, refused])
  })
})
