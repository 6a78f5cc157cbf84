import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { resolveProvider, setProvider } from './index.ts'

const environment = {
  OPENAI_API_KEY: 'sk-operator',
  OPENAI_BASE_URL: 'https://gateway.example.com/v1',
  OLLAMA_BASE_URL: 'http://127.0.0.1:11434',
  ANTHROPIC_API_KEY: 'sk-ant-operator',
}

describeInstance('model providers', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open(environment)
    ada = await instance.person()
  })

  function resolve(provider: string, workspaceId = ada.workspaceId) {
    return resolveProvider(instance.ctx, workspaceId, provider)
  }

  describe('where a workspace has no settings', () => {
    test('the environment configures a provider, and its address is trusted', async () => {
      expect(await resolve('openai')).toEqual({
        provider: 'openai',
        apiKey: 'sk-operator',
        baseUrl: 'https://gateway.example.com/v1',
        trusted: true,
      })
      expect(await resolve('ollama')).toEqual({
        provider: 'ollama',
        apiKey: null,
        baseUrl: 'http://127.0.0.1:11434',
        trusted: true,
      })
      expect(await resolve('anthropic')).toEqual({
        provider: 'anthropic',
        apiKey: 'sk-ant-operator',
        baseUrl: 'https://api.anthropic.com/v1',
        trusted: true,
      })
    })

    test('the local provider needs nothing, and a provider without a key or an address is unavailable', async () => {
      expect(await resolve('local')).toMatchObject({ provider: 'local', trusted: true })
      expect(await resolve('google')).toBeNull()
      expect(await resolve('openrouter')).toBeNull()
    })
  })

  describe('where a workspace has its own settings', () => {
    test('its key goes to the operator’s address, which stays trusted', async () => {
      const bob = await instance.person()
      const set = { provider: 'openai', apiKey: 'sk-bob' }
      expect(await setProvider(instance.ctx, bob.workspaceId, set)).toEqual({
        provider: 'openai',
        baseUrl: null,
        hasKey: true,
      })
      expect(await resolve('openai', bob.workspaceId)).toEqual({
        provider: 'openai',
        apiKey: 'sk-bob',
        baseUrl: 'https://gateway.example.com/v1',
        trusted: true,
      })
      expect(await resolve('openai')).toMatchObject({ apiKey: 'sk-operator' })
    })

    test('the operator’s key never goes to an address that a person gave', async () => {
      const bob = await instance.person()
      const set = { provider: 'openai', baseUrl: 'https://bob.example.com/v1/' }
      await setProvider(instance.ctx, bob.workspaceId, set)
      expect(await resolve('openai', bob.workspaceId)).toEqual({
        provider: 'openai',
        apiKey: null,
        baseUrl: 'https://bob.example.com/v1',
        trusted: false,
      })
    })

    test('a stored key never goes to an address that was set after it', async () => {
      const bob = await instance.person()
      const { ctx } = instance
      const both = { apiKey: 'sk-bob', baseUrl: 'https://bob.example.com/v1' }
      await setProvider(ctx, bob.workspaceId, { provider: 'mine', ...both })
      const moved = { provider: 'mine', baseUrl: 'https://thief.example.com/v1' }
      expect(await setProvider(ctx, bob.workspaceId, moved)).toMatchObject({ hasKey: false })
      expect(await resolve('mine', bob.workspaceId)).toMatchObject({ apiKey: null })
    })

    test('a key stays when the same address is set again', async () => {
      const bob = await instance.person()
      const both = { apiKey: 'sk-bob', baseUrl: 'https://bob.example.com/v1' }
      await setProvider(instance.ctx, bob.workspaceId, { provider: 'mine', ...both })
      const same = { provider: 'mine', baseUrl: 'https://bob.example.com/v1/' }
      expect(await setProvider(instance.ctx, bob.workspaceId, same)).toMatchObject({ hasKey: true })
    })

    test('a key is sealed in the database', async () => {
      const bob = await instance.person()
      const set = { provider: 'openai', apiKey: 'sk-very-secret' }
      await setProvider(instance.ctx, bob.workspaceId, set)
      const row = await instance.ctx.db.read
        .selectFrom('model_providers')
        .selectAll()
        .where('workspace_id', '=', bob.workspaceId)
        .executeTakeFirstOrThrow()
      expect(JSON.stringify(row)).not.toContain('secret')
      expect(instance.ctx.vault.open(row.api_key_sealed!)).toBe('sk-very-secret')
    })

    test('null removes a setting, and if none is left, the environment applies again', async () => {
      const bob = await instance.person()
      const { ctx } = instance
      await setProvider(ctx, bob.workspaceId, { provider: 'openai', apiKey: 'sk-bob' })
      await setProvider(ctx, bob.workspaceId, { provider: 'openai', apiKey: null })
      expect(await resolve('openai', bob.workspaceId)).toMatchObject({ apiKey: 'sk-operator' })
    })

    test('a provider that the workspace adds needs an address, and the local one has no settings', async () => {
      const { ctx } = instance
      const keyOnly = { provider: 'openrouter', apiKey: 'sk-x' }
      await expect(setProvider(ctx, ada.workspaceId, keyOnly)).rejects.toMatchObject({
        code: 'provider_address_required',
      })
      const local = { provider: 'local', baseUrl: 'https://x.example.com' }
      await expect(setProvider(ctx, ada.workspaceId, local)).rejects.toMatchObject({
        code: 'provider_fixed',
      })
      expect(await resolve('openrouter')).toBeNull()
    })

    test('its agents may use the provider it added, agents of other workspaces may not', async () => {
      const [bob, eve] = [await instance.person(), await instance.person()]
      const set = { provider: 'mine', baseUrl: 'https://bob.example.com/v1' }
      await setProvider(instance.ctx, bob.workspaceId, set)
      const input = { name: 'A', model: 'mine/llama' }
      await expect(createAgent(instance.ctx, bob, input)).resolves.toBeDefined()
      await expect(createAgent(instance.ctx, eve, input)).rejects.toMatchObject({
        code: 'model_unknown',
      })
    })

    test('setting the key and the address at the same time loses neither', async () => {
      const bob = await instance.person()
      const { ctx } = instance
      const address = { provider: 'mine', baseUrl: 'https://bob.example.com/v1' }
      await setProvider(ctx, bob.workspaceId, address)
      await Promise.all([
        setProvider(ctx, bob.workspaceId, { provider: 'mine', apiKey: 'sk-bob' }),
        setProvider(ctx, bob.workspaceId, address),
      ])
      expect(await resolve('mine', bob.workspaceId)).toMatchObject({
        apiKey: 'sk-bob',
        baseUrl: 'https://bob.example.com/v1',
      })
    })
  })
})
