import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import {
  agentOf,
  createCompleteAgent,
  handbook,
  openAgentTransfer,
  comparable,
  secrets,
  type Answer,
  type AgentTransfer,
  type Document,
} from '#test/support/complete-agent.ts'

describeInstance('an agent that travels', (open) => {
  let here: AgentTransfer
  let original: string
  let document: Document

  beforeAll(async () => {
    here = await openAgentTransfer(open)
    original = await createCompleteAgent(here)
    document = await here.exported(original)
  })

  test('is the same after export, import and export', async () => {
    const copy = await here.call('import_app', { document })
    expect(copy.id).not.toBe(original)
    expect(comparable(await here.exported(copy.id))).toEqual(comparable(document))
    await runIngestion(here.instance)
    expect(comparable(await here.exported(copy.id))).toEqual(comparable(document))
    await here.call('delete_app', { app_id: copy.id })
  })

  test('keeps its knowledge with the same chunks', async () => {
    const copy = await here.call('duplicate_app', { app_id: original })
    await runIngestion(here.instance)
    const known = async (appId: unknown) => {
      const { items } = await here.call('list_knowledge_sources', { app_id: appId })
      const stored = (items as Answer[]).filter(({ kind }) => kind !== 'url')
      return stored.map(({ title, status, bytes, chunk_count }) => {
        return { title, status, bytes, chunk_count }
      })
    }
    const same = await known(copy.id)
    expect(same).toMatchObject([
      { title: 'prices.csv', status: 'ready' },
      { title: 'Handbook', status: 'ready', bytes: Buffer.byteLength(handbook) },
    ])
    expect(same).toEqual(await known(original))
    expect(await passages(here.instance, copy.id)).toEqual(await passages(here.instance, original))
    await here.call('delete_app', { app_id: copy.id })
  })

  test('is unchanged after an import from a file into another instance', async () => {
    const there = await openAgentTransfer(open, { SECRET_KEY: '7'.repeat(64) })
    const file: unknown = JSON.parse(JSON.stringify({ document }))
    const copy = await there.call('import_app', file as Answer) // Just written from such an object.
    expect(comparable(await there.exported(copy.id))).toEqual(comparable(document))
    await runIngestion(there.instance)
    const found = await there.call('search_knowledge', { app_id: copy.id, query: 'returned' })
    expect(found.items).toMatchObject([{ title: 'Handbook', heading: 'Returns' }])
    const prices = await there.call('search_knowledge', { app_id: copy.id, query: 'Plate' })
    expect(prices.items).toMatchObject([{ title: 'prices.csv' }])
  })

  test('leaves out every kind of secret, and lists what to set', async () => {
    const text = JSON.stringify(document)
    for (const secret of Object.values(secrets)) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('base64'))
    }
    expect(text).not.toContain('sealed')
    const copy = await here.call('import_app', { document })
    const names = (copy.needs as Answer[]).map(
      ({ kind, name }) => `${String(kind)} ${String(name)}`,
    )
    expect(names).toEqual([
      'variable FIND_ORDER__API_KEY',
      'variable FIND_ORDER__AUTHORIZATION',
      'variable FIND_ORDER__TOKEN',
      'variable TOKEN',
      'mcp_server crm',
    ])
    const set = { app_id: copy.id, name: 'TOKEN', type: 'secret', value: 'another-secret' }
    await expect(here.call('set_app_variable', set)).resolves.toMatchObject({
      hosts: ['api.example.com'],
    })
    await here.call('delete_app', { app_id: copy.id })
  })

  test('gives a secret without hosts those of its actions, and never any host', async () => {
    const variables = [
      { name: 'NAMED', type: 'secret', hosts: ['named.example'] },
      { name: 'USED', type: 'secret', hosts: null },
      { name: 'WIDE', type: 'secret', hosts: ['*'] },
    ]
    const action = {
      name: 'find',
      description: 'Finds',
      method: 'GET',
      url: 'https://used.example/',
      headers: { 'X-A': '{{var.NAMED}}', 'X-B': '{{var.USED}}', 'X-C': '{{var.WIDE}}' },
    }
    const changed = { ...document, variables, actions: [action] }
    const copy = await here.call('import_app', { document: changed })
    const { items } = await here.call('list_app_variables', { app_id: copy.id })
    expect(items).toMatchObject([
      { name: 'NAMED', hosts: ['named.example'] },
      { name: 'USED', hosts: ['used.example'] },
      { name: 'WIDE', hosts: ['used.example'] },
    ])
    await here.call('delete_app', { app_id: copy.id })
  })

  test('is exported without its knowledge by default', async () => {
    const without = await here.exported(original, false)
    expect(without.knowledge).toBeNull()
    const copy = await here.call('import_app', { document: without })
    const { items } = await here.call('list_knowledge_sources', { app_id: copy.id })
    expect(items).toEqual([])
    await here.call('delete_app', { app_id: copy.id })
  })

  test('is one audit event that names the new agent', async () => {
    const copy = await here.call('import_app', { document })
    const events = await here.instance.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('target', '=', String(copy.id))
      .execute()
    expect(events).toMatchObject([{ action: 'import_app', outcome: 'done' }])
    await here.call('delete_app', { app_id: copy.id })
  })

  test.each(['acme/large', 'google/../../admin/x?', 'google/x:generateContent?'])(
    'with the unknown model %s gets the default model and a note about it',
    async (model) => {
      const agent = { ...agentOf(document), model }
      const copy = await here.call('import_app', { document: { ...document, agent } })
      expect(copy.needs).toContainEqual(expect.objectContaining({ kind: 'model', name: model }))
      const made = await here.call('get_app', { app_id: copy.id })
      expect(made).toMatchObject({ model: 'local/extractive', model_valid: true })
      await here.call('delete_app', { app_id: copy.id })
    },
  )

  test('is without fallback models that this workspace does not know, and has a note about each', async () => {
    const models = ['google/models/gemini-2.5-pro', 'acme/large']
    const agent = { ...agentOf(document), fallback_models: models }
    const draft = { fallback_models: ['acme/large', 'local/extractive'] }
    const copy = await here.call('import_app', { document: { ...document, agent, draft } })
    expect(copy.needs).toContainEqual(
      expect.objectContaining({ kind: 'model', name: 'acme/large' }),
    )
    expect(await here.call('get_app', { app_id: copy.id })).toMatchObject({
      fallback_models: ['google/gemini-2.5-pro'],
      draft: { changes: { fallback_models: ['local/extractive'] } },
    })
    await here.call('delete_app', { app_id: copy.id })
  })

  test('with another spelling of a model gets the model, which is no need', async () => {
    const agent = { ...agentOf(document), model: 'google/models/gemini-2.5-pro' }
    const copy = await here.call('import_app', { document: { ...document, agent } })
    expect(copy.needs).not.toContainEqual(expect.objectContaining({ kind: 'model' }))
    expect((await here.call('get_app', { app_id: copy.id })).model).toBe('google/gemini-2.5-pro')
    await here.call('delete_app', { app_id: copy.id })
  })

  test('a text without stored bytes is exported as its chunks, all words in order', async () => {
    const { id } = await createAgent(here.instance.ctx, here.ada, { name: 'Old' })
    const { id: sourceId } = await here.call('add_knowledge_source', {
      app_id: id,
      title: 'Handbook',
      text: handbook,
    })
    await here.instance.ctx.db.write((tx) =>
      tx.deleteFrom('knowledge_file_pieces').where('source_id', '=', String(sourceId)).execute(),
    )
    const [source] = (await here.exported(id)).knowledge ?? []
    const words = (text: unknown) => String(text).match(/\p{L}+/gu)
    expect(words(source?.text)).toEqual(words(handbook))
    expect(source?.text).toMatch(/^# Returns\n\nGoods/)
  })

  describe('as a duplicate', () => {
    test('keeps its secrets in its workspace', async () => {
      const copy = await here.call('duplicate_app', { app_id: original })
      expect(copy).toMatchObject({ name: 'Helpdesk (copy)', needs: [] })
      const same = await here.exported(copy.id)
      expect(comparable(same, 'Helpdesk')).toEqual(comparable(document))
      expect(await sealedOf(here.instance, String(copy.id))).toEqual(
        await sealedOf(here.instance, original),
      )
      await here.call('delete_app', { app_id: copy.id })
    })

    test('leaves them out in another workspace of the user', async () => {
      const other = await here.call('create_workspace', { name: 'Elsewhere' })
      const copy = await here.call('duplicate_app', {
        app_id: original,
        name: 'Twin',
        workspace_id: other.id,
      })
      expect(copy).toMatchObject({ name: 'Twin', workspace_id: other.id })
      expect(copy.needs).toHaveLength(5)
      const same = await here.exported(copy.id)
      expect(comparable(same, 'Helpdesk')).toEqual(comparable(document))
      const { variables, servers } = await sealedOf(here.instance, String(copy.id))
      expect(variables.every(({ value_sealed }) => value_sealed === null)).toBe(true)
      expect(servers).toMatchObject([{ headers: {}, query: '?key=' }])
    })

    test('has the current settings, and its versions start at 1', async () => {
      const copy = await here.call('duplicate_app', { app_id: original, name: 'Anew' })
      const { items } = await here.call('list_app_versions', { app_id: copy.id })
      expect(items).toMatchObject([{ version: 1, note: 'Copied from Helpdesk' }])
      await here.call('delete_app', { app_id: copy.id })
    })

    test('is refused to a user who is not a member of the original’s workspace', async () => {
      const stranger = await here.instance.person()
      const input = { app_id: original, workspace_id: stranger.workspaceId }
      const refused = here.call('duplicate_app', input, {}, stranger)
      expect((await here.refusal(refused)).code).toBe('record_not_found')
    })
  })

  describe('with a credential of limited scopes', () => {
    const read = { scopes: ['apps:read'] }
    const write = { scopes: ['apps:read', 'apps:write'] }

    test.each([
      ['export_app', () => ({ app_id: original }), read, 'actions:read'],
      [
        'export_app',
        () => ({ app_id: original, include_knowledge: true }),
        { scopes: ['apps:read', 'actions:read'] },
        'knowledge:read',
      ],
      ['import_app', () => ({ document }), write, 'actions:write'],
      [
        'import_app',
        () => ({ document }),
        { scopes: ['apps:write', 'actions:write'] },
        'knowledge:write',
      ],
      ['duplicate_app', () => ({ app_id: original }), write, 'actions:read'],
    ])('%s lends none that is missing', async (name, input, narrower, scope) => {
      const refused = await here.refusal(here.call(name, input(), narrower))
      expect(refused).toMatchObject({ code: 'scope_missing', facts: { scope } })
    })

    test('an agent with settings only needs no other scope', async () => {
      const { id } = await createAgent(here.instance.ctx, here.ada, { name: 'Plain' })
      const { document: bare } = await here.call('export_app', { app_id: id }, read)
      await expect(here.call('import_app', { document: bare }, write)).resolves.toMatchObject({
        needs: [],
      })
      await expect(here.call('duplicate_app', { app_id: id }, write)).resolves.toMatchObject({
        name: 'Plain (copy)',
      })
    })
  })
})

function passages({ ctx }: TestInstance, agentId: unknown) {
  return ctx.db.read
    .selectFrom('knowledge_chunks')
    .select(['ordinal', 'heading', 'text', 'token_count', 'term_count'])
    .where('agent_id', '=', String(agentId))
    .orderBy('text')
    .execute()
}

/** The encrypted values of an agent: stored secrets and headers of MCP servers. */
async function sealedOf({ ctx }: TestInstance, agentId: string) {
  const variables = await ctx.db.read
    .selectFrom('agent_variables')
    .select(['name', 'value_sealed'])
    .where('agent_id', '=', agentId)
    .orderBy('name')
    .execute()
  const servers = await ctx.db.read
    .selectFrom('tool_servers')
    .select('headers_sealed')
    .where('agent_id', '=', agentId)
    .execute()
  const open = servers.map(({ headers_sealed }) => JSON.parse(ctx.vault.open(headers_sealed!)))
  return { variables, servers: open as unknown[] }
}
