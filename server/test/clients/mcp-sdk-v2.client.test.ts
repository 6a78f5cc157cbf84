import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import {
  describeListening,
  type ListeningService,
} from '#test/support/processes/listening-service.ts'
import { inMemoryOauthClient } from '#test/support/identity/in-memory-oauth-client.ts'

const newMemory = inMemoryOauthClient<
  StoredOAuthClientInformation,
  StoredOAuthTokens,
  OAuthDiscoveryState
>

const modes = ['legacy', 'auto'] as const

describeListening('version 2 of the MCP SDK, unmodified', (listen) => {
  describe.each(modes)('negotiating versions: %s', (mode) => {
    function client(): Client {
      return new Client({ name: 'sdk-v2', version: '1' }, { versionNegotiation: { mode } })
    }

    async function connected(service: ListeningService): Promise<Client> {
      const headers = { authorization: `Bearer ${await service.makeKey(service.owner)}` }
      const sdk = client()
      const url = new URL(service.mcpUrl)
      await sdk.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
      return sdk
    }

    test('lists and calls tools with a developer key', async () => {
      const service = await listen()
      const sdk = await connected(service)
      const { tools } = await sdk.listTools()
      expect(tools.map(({ name }) => name)).toContain('create_app')
      const made = await sdk.callTool({ name: 'create_app', arguments: { name: 'From v2' } })
      expect(made.structuredContent).toMatchObject({ name: 'From v2' })
      expect(sdk.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
      await sdk.close()
    })

    test('needs only the address, and receives the scopes that the person left checked', async () => {
      const service = await listen()
      const memory = newMemory()
      const url = new URL(service.mcpUrl)
      const transport = new StreamableHTTPClientTransport(url, { authProvider: memory })
      await expect(client().connect(transport)).rejects.toThrow(UnauthorizedError)
      const back = await service.approve(memory.link())
      await transport.finishAuth(back.searchParams)
      const sdk = client()
      await sdk.connect(new StreamableHTTPClientTransport(url, { authProvider: memory }))
      const who = await sdk.callTool({ name: 'whoami', arguments: {} })
      expect(who.structuredContent).toMatchObject({ user: { email: service.owner.email } })
      await sdk.close()
    })

    test('requests another authorization when a tool needs a scope that was not granted', async () => {
      const service = await listen()
      const memory = newMemory()
      const url = new URL(service.mcpUrl)
      const first = new StreamableHTTPClientTransport(url, { authProvider: memory })
      await expect(client().connect(first)).rejects.toThrow(UnauthorizedError)
      const narrow = new URL(memory.link())
      narrow.searchParams.set('scope', 'apps:read')
      await first.finishAuth((await service.approve(narrow)).searchParams)
      expect(memory.tokens()?.scope).toBe('apps:read')

      const sdk = client()
      const second = new StreamableHTTPClientTransport(url, { authProvider: memory })
      await sdk.connect(second)
      const create = { name: 'create_app', arguments: { name: 'Stepped up' } }
      await expect(sdk.callTool(create)).rejects.toThrow()
      expect(memory.link().searchParams.get('scope')?.split(' ')).toContain('apps:write')
      await second.finishAuth((await service.approve(memory.link())).searchParams)
      const made = await sdk.callTool(create)
      expect(made.structuredContent).toMatchObject({ name: 'Stepped up' })
      await sdk.close()
    })
  })
})
