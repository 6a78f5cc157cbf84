import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { failInterruptedSources } from '#features/ingestion/index.ts'
import { parseDocument } from '#features/agent-transfer/index.ts'
import { actorOf, describeInstance } from '#test/support/test-instance.ts'
import {
  agentOf,
  createCompleteAgent,
  openAgentTransfer,
  comparable,
  type Answer,
  type AgentTransfer,
  type Document,
} from '#test/support/complete-agent.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('the document of an agent', (open) => {
  let here: AgentTransfer
  let document: Document

  beforeAll(async () => {
    here = await openAgentTransfer(open)
    document = await here.exported(await createCompleteAgent(here))
  })

  describe('that is wrong', () => {
    const cases: [string, (good: Document) => Answer, string][] = [
      ['of another format', (good) => ({ ...good, format: 'x' }), 'format: must be "parley.agent"'],
      [
        'without a version',
        (good) => ({ ...good, version: null }),
        'version: must be a whole number',
      ],
      [
        'with a field that is unknown',
        (good) => ({ ...good, more: 1 }),
        'Unrecognized key: "more"',
      ],
      [
        'with a setting out of bounds',
        (good) => ({ ...good, agent: { ...agentOf(good), temperature: 3 } }),
        'agent.temperature: ',
      ],
      [
        'with a setting that is unknown',
        (good) => ({ ...good, agent: { ...agentOf(good), retrieval: { magic: 1 } } }),
        'agent.retrieval: Unrecognized key: "magic"',
      ],
      [
        'with an action that does not fit together',
        (good) => ({
          ...good,
          actions: [
            { name: 'a', description: 'A', method: 'GET', url: 'https://example.com/{id}' },
          ],
        }),
        'actions.0.url: {id} has no parameter in path',
      ],
      [
        'with a name twice',
        (good) => ({ ...good, variables: [numberOne, { ...numberOne, value: 2 }] }),
        'variables.1: ONE occurs twice',
      ],
      [
        'with a secret in it',
        (good) => ({ ...good, variables: [{ name: 'ONE', type: 'secret', value: 'open' }] }),
        'variables.0.value: must be null',
      ],
      [
        'with a value of another type',
        (good) => ({ ...good, variables: [{ ...numberOne, value: 'one' }] }),
        'variables.0.value: value must be a number',
      ],
      [
        'with bytes that are no base64',
        (good) => ({ ...good, knowledge: [{ ...fileA, content_base64: '§' }] }),
        'knowledge.0.content_base64: ',
      ],
      [
        'with a file of no known kind',
        (good) => ({ ...good, knowledge: [{ ...fileA, filename: 'a.exe' }] }),
        'knowledge.0: is a file of a kind that cannot be read',
      ],
      [
        'with an address that is none',
        (good) => ({ ...good, knowledge: [{ kind: 'url', url: 'ftp://example.com' }] }),
        'knowledge.0: url must be an http(s) address',
      ],
      [
        'with a credential in the address of a server',
        (good) => ({ ...good, mcp_servers: [{ name: 'a', url: 'https://a.example/?key=1' }] }),
        'mcp_servers.0.url: ',
      ],
    ]
    const numberOne = { name: 'ONE', type: 'number', value: 1 }
    const fileA = { kind: 'file', title: 'A', filename: 'a.txt', content_base64: 'QQ==' }

    test.each(cases)(
      '%s is rejected with its path, and nothing is created',
      async (_, spoil, said) => {
        const before = await countAgents(here)
        const refused = await here.refusal(here.call('import_app', { document: spoil(document) }))
        expect(refused.code).toBe('document_invalid')
        expect(refused.said).toContain(said)
        expect(await countAgents(here)).toBe(before)
      },
    )

    test('of a newer Parley gets an error that says so', async () => {
      const newer = { format: 'parley.agent', version: 2, brain: {} }
      const refused = await here.refusal(here.call('import_app', { document: newer }))
      expect(refused).toMatchObject({ code: 'document_too_new', facts: { version: 2, known: 1 } })
    })

    test('reports the first twenty of many mistakes', async () => {
      const variables = Array.from({ length: 90 }, () => ({ name: 'no', type: 'string' }))
      const refused = await here.refusal(
        here.call('import_app', { document: { ...document, variables } }),
      )
      expect(refused.facts.issues).toHaveLength(21)
    })
  })

  test('any agent is the same after import and export', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (given) => {
        const copy = await here.call('import_app', { document: given })
        const back = await here.exported(copy.id)
        const parsed = await parseDocument(given) // Adds the defaults.
        const complete: Document = JSON.parse(JSON.stringify(parsed.document))
        expect(comparable(back)).toEqual(comparable({ ...complete, exported_at: '' }))
        const again = await here.call('import_app', { document: back })
        expect(comparable(await here.exported(again.id))).toEqual(comparable(back))
        for (const { id } of [copy, again]) await here.call('delete_app', { app_id: id })
      }),
      { numRuns: 25 },
    )
  })

  test('a process that dies once the agent is shown leaves sources marked as interrupted, and pages that are read later', async () => {
    const { ctx } = here.instance
    let shown = 0
    const write: typeof ctx.db.write = async (unit, options) => {
      if (options?.isHidden !== true) shown += 1
      if (shown > 1) throw new Error('the process has died')
      return await ctx.db.write(unit, options)
    }
    const dying = { ...ctx, db: { ...ctx.db, write } }
    const operation = findOperation('import_app')!
    const died = runOperation(dying, actorOf(here.ada), operation, { document })
    await expect(died).rejects.toThrow('the process has died')
    const { items: apps } = await here.call('list_apps', { limit: 1 })
    const [{ id }] = apps as [Answer] // The newest was created just now.
    here.instance.advance(120_000)
    await failInterruptedSources(ctx)
    const { items } = await here.call('list_knowledge_sources', { app_id: id })
    expect(items).toMatchObject([
      { kind: 'url', status: 'queued' },
      { kind: 'file', status: 'failed', error: { code: 'interrupted' } },
      { kind: 'text', status: 'failed', error: { code: 'interrupted' } },
    ])
    const [{ id: ofPages }] = items as [Answer]
    const jobs = ctx.db.read.selectFrom('jobs').select('status').where('key', '=', String(ofPages))
    expect(await jobs.execute()).toEqual([{ status: 'queued' }])
    const left = await here.exported(id)
    expect(left.knowledge).toMatchObject([{ kind: 'url' }])
    expect(left.left_out).toEqual(['Handbook', 'prices.csv'])
    await here.call('delete_app', { app_id: id })
  })

  test('is limited to MAX_IMPORT_BYTES in import and export', async () => {
    const small = await openAgentTransfer(open, { MAX_IMPORT_BYTES: '3000' })
    const { id } = await createAgent(small.instance.ctx, small.ada, { name: 'Small' })
    await small.call('add_knowledge_source', { app_id: id, title: 'T', text: 'word '.repeat(1000) })
    const out = await small.refusal(small.exported(id))
    expect(out).toMatchObject({ code: 'knowledge_too_large', facts: { limit_bytes: 3000 } })
    const into = await small.refusal(small.call('import_app', { document }))
    expect(into).toMatchObject({ code: 'document_too_large', facts: { limit_bytes: 3000 } })
    const { document: bare } = await small.call('export_app', { app_id: id })
    await expect(small.call('import_app', { document: bare })).resolves.toMatchObject({ needs: [] })
  })

  describe('within what a plan allows', () => {
    test('two copies cannot both take the last slot', async () => {
      const person = await here.instance.person({ plan: 'free' })
      const { id } = await createAgent(here.instance.ctx, person, { name: 'One' })
      await createAgent(here.instance.ctx, person, { name: 'Two' })
      const bare = await here.exported(id, false, person)
      const tries = await Promise.allSettled([
        here.call('duplicate_app', { app_id: id }, {}, person),
        here.call('import_app', { document: bare }, {}, person),
        here.call('duplicate_app', { app_id: id }, {}, person),
      ])
      const lost = tries.filter(({ status }) => status === 'rejected')
      expect(lost).toHaveLength(2)
      for (const one of lost) expect(one).toMatchObject({ reason: { code: 'plan_limit_reached' } })
      const { items } = await here.call('list_apps', {}, {}, person)
      expect(items).toHaveLength(3)
    })

    test('too many sources are rejected before anything is created', async () => {
      const person = await here.instance.person({ plan: 'free' })
      const knowledge = Array.from({ length: 11 }, (_, n) => ({
        kind: 'text',
        title: `${n}`,
        text: 'Text',
      }))
      const refused = here.call('import_app', { document: { ...document, knowledge } }, {}, person)
      expect((await here.refusal(refused)).code).toBe('plan_limit_reached')
      expect((await here.call('list_apps', {}, {}, person)).items).toEqual([])
    })
  })
})

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .map((text) => text.replaceAll('\0', '').trim())
  .filter((text) => text !== '' && text.isWellFormed())
const upperName = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/)
const noValue = { description: '', hosts: null }

const anyVariable = fc.oneof(
  fc.record({ name: upperName, type: fc.constant('string'), value: words }),
  fc.record({ name: upperName, type: fc.constant('number'), value: fc.integer() }),
  fc.record({ name: upperName, type: fc.constant('boolean'), value: fc.boolean() }),
  fc.record({
    name: upperName,
    type: fc.constant('secret'),
    value: fc.constant(null),
    hosts: fc.constant(['api.example.com']),
  }),
)

const anyAction = fc.record({
  name: fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/),
  title: words,
  description: words,
  method: fc.constantFrom('GET', 'DELETE'),
  url: fc.constant('https://api.example.com/items'),
  // None of these names is that of a credential, which would become a secret.
  headers: fc.dictionary(fc.stringMatching(/^Y-[a-z]{1,8}-Id$/), fc.stringMatching(/^[a-z ]+$/)),
  enabled: fc.boolean(),
})

const anySource = fc.oneof(
  fc.record({ kind: fc.constant('text'), title: words, text: words }),
  fc.record({
    kind: fc.constant('url'),
    title: fc.option(words),
    url: fc.webUrl().map((url) => new URL(url).href),
    crawl_depth: fc.integer({ min: 0, max: 10 }),
    refresh_every: fc.option(fc.constantFrom('hour', 'day', 'week', 'month')),
  }),
  fc.record({
    kind: fc.constant('file'),
    title: words,
    filename: fc.uuid().map((name) => `${name}.txt`),
    content_base64: fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .map((bytes) => Buffer.from(bytes).toString('base64')),
  }),
)

/** Valid documents, with variables sorted by name as in an export. */
const anyDocument = fc.record({
  format: fc.constant('parley.agent'),
  version: fc.constant(1),
  agent: fc.record({
    name: words,
    model: fc.constant('local/extractive'),
    system_prompt: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
    temperature: fc.option(fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10)),
    suggestions: fc.array(words, { maxLength: 10 }),
  }),
  actions: fc.uniqueArray(anyAction, { selector: ({ name }) => name, maxLength: 4 }),
  variables: fc
    .uniqueArray(anyVariable, { selector: ({ name }) => name, maxLength: 5 })
    .map((list) => list.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    .map((list) => list.map((one) => ({ ...noValue, ...one }))),
  products: fc.uniqueArray(
    fc.record({
      name: words,
      sku: fc.option(words),
      price_amount: fc.integer({ min: 0, max: 1_000_000 }),
      currency: fc.constantFrom('usd', 'eur', 'jpy'),
      stock: fc.option(fc.integer({ min: 0, max: 1000 })),
      active: fc.boolean(),
    }),
    { selector: ({ sku, name }) => sku ?? `name ${name}`, maxLength: 4 },
  ),
  knowledge: fc.array(anySource, { maxLength: 4 }),
})

async function countAgents({ call }: AgentTransfer): Promise<number> {
  const { items } = await call('list_apps', { limit: 100 })
  return (items as Answer[]).length
}
