import { createMCPClient } from '@ai-sdk/mcp'
import { expect, test } from 'vitest'
import { describeListening } from '#test/support/processes/listening-service.ts'

describeListening('the AI SDK’s MCP client, unmodified', (listen) => {
  test('creates tools with our schemas and runs one', async () => {
    const service = await listen()
    const headers = { authorization: `Bearer ${await service.makeKey(service.owner)}` }
    const transport = { type: 'http', url: service.mcpUrl, headers } as const
    const client = await createMCPClient({ transport })
    const tools = await client.tools()
    expect(Object.keys(tools)).toContain('search_documentation')
    const create = tools.create_app
    if (create?.execute === undefined) throw new Error('no create_app')
    const options = { toolCallId: '1', messages: [], context: {} }
    const result = await create.execute({ name: 'From the AI SDK' }, options)
    expect(result).toMatchObject({ structuredContent: { name: 'From the AI SDK' } })
    await client.close()
  })

  test('sees only the tools that its address selects', async () => {
    const service = await listen()
    const headers = { authorization: `Bearer ${await service.makeKey(service.owner)}` }
    const url = `${service.mcpUrl}?read_only=true&toolsets=apps`
    const client = await createMCPClient({ transport: { type: 'http', url, headers } })
    const names = Object.keys(await client.tools())
    expect(names).toContain('list_apps')
    expect(names).not.toContain('create_app')
    expect(names).not.toContain('list_workspaces')
    await client.close()
  })
})
