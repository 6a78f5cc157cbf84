import {
  UnauthorizedError,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect, test } from 'vitest'
import {
  describeListening,
  type ListeningService,
} from '#test/support/processes/listening-service.ts'
import { inMemoryOauthClient } from '#test/support/identity/in-memory-oauth-client.ts'

describeListening('version 1 of the MCP SDK, unmodified', (listen) => {
  function withKey({ mcpUrl }: ListeningService, key: string): StreamableHTTPClientTransport {
    const headers = { authorization: `Bearer ${key}` }
    return new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } })
  }

  function client(): Client {
    return new Client({ name: 'sdk-v1', version: '1' })
  }

  test('lists and calls tools with a developer key, and checks answers against the schemas', async () => {
    const service = await listen()
    const sdk = client()
    await sdk.connect(withKey(service, await service.makeKey(service.owner)))
    const { tools } = await sdk.listTools()
    expect(tools.map(({ name }) => name)).toContain('create_app')
    const made = await sdk.callTool({ name: 'create_app', arguments: { name: 'From v1' } })
    expect(made.structuredContent).toMatchObject({ name: 'From v1' })
    const listed = await sdk.callTool({ name: 'list_apps', arguments: {} })
    expect(listed.structuredContent).toMatchObject({ items: [{ name: 'From v1' }] })
    await sdk.close()
  })

  test('receives a business error as a tool result', async () => {
    const service = await listen()
    const sdk = client()
    await sdk.connect(withKey(service, await service.makeKey(service.owner)))
    const result = await sdk.callTool({ name: 'get_app', arguments: { app_id: 'nobody-1' } })
    expect(result).toMatchObject({ isError: true })
    await sdk.close()
  })

  test('needs only the address: discovers, registers, authorizes, refreshes', async () => {
    const service = await listen()
    const memory = inMemoryOauthClient<
      OAuthClientInformationMixed,
      OAuthTokens,
      OAuthDiscoveryState
    >()
    const url = new URL(service.mcpUrl)
    const transport = new StreamableHTTPClientTransport(url, { authProvider: memory })
    await expect(client().connect(transport)).rejects.toThrow(UnauthorizedError)
    const back = await service.approve(memory.link())
    await transport.finishAuth(back.searchParams.get('code') ?? '')

    const sdk = client()
    await sdk.connect(new StreamableHTTPClientTransport(url, { authProvider: memory }))
    const who = await sdk.callTool({ name: 'whoami', arguments: {} })
    expect(who.structuredContent).toMatchObject({
      user: { email: service.owner.email },
      client: 'A client under test',
      scopes: ['*'],
    })

    const before = memory.tokens()
    service.advance(3_600_000)
    const again = await sdk.callTool({ name: 'whoami', arguments: {} })
    expect(again.structuredContent).toMatchObject({ user: { email: service.owner.email } })
    expect(memory.tokens()?.access_token).not.toBe(before?.access_token)
    await sdk.close()
  })
})
