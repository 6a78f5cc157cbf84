import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { argumentsSchema } from '#features/actions/request/argument-schema.ts'
import { actionDefinition, checkDefinition } from '#features/actions/index.ts'
import { createBoundedWorkers } from '#platform/bounded-workers/create-bounded-workers.ts'
import { createImportSlots } from '#platform/fair-slots/create-import-slots.ts'
import { sampleOpenApi } from '#test/support/sample-openapi.ts'
import { importOpenApi } from './import-openapi.ts'
import type { ImportedDocument } from './openapi-operations.ts'

const importSlots = createImportSlots({
  importsAtOnce: 2,
  importsWaiting: 10,
  importWaitMs: 40_000,
})

/** Every imported action is a valid definition. */
async function imported(text: string, choice = {}): Promise<ImportedDocument> {
  const document = await importOpenApi(
    { workers: createBoundedWorkers({ dataDir: './data' }), importSlots },
    { workspaceId: 'w', signal: new AbortController().signal },
    text,
    choice,
  )
  for (const { action } of document.operations) checkDefinition(actionDefinition.parse(action))
  return document
}

async function action(name: string) {
  const { operations } = await imported(sampleOpenApi)
  return actionDefinition.parse(operations.find((one) => one.action.name === name)!.action)
}

function documentOf(paths: Record<string, unknown>): string {
  return JSON.stringify({ openapi: '3.0.3', servers: [{ url: 'https://a.example' }], paths })
}

describe('An OpenAPI 3 document', () => {
  test('becomes an action for each operation that actions can send', async () => {
    const { operations, skipped } = await imported(sampleOpenApi)
    expect(operations.map((one) => [one.operation, one.action.name])).toEqual([
      ['GET /animals', 'listAnimals'],
      ['POST /animals', 'add_animal'],
      ['GET /animals/{animalId}', 'get_animals_animalId'],
      ['DELETE /animals/{animalId}', 'removeAnimal'],
      ['POST /token', 'getToken'],
    ])
    expect(skipped).toEqual([
      {
        operation: 'PUT /animals/{animalId}/photo',
        reason: 'It accepts image/png; actions send JSON or forms.',
      },
    ])
  })

  test('becomes the same actions in JSON and in YAML', async () => {
    const json = JSON.stringify(parse(sampleOpenApi))
    expect(await imported(json)).toEqual(await imported(sampleOpenApi))
  })

  test('provides the addresses, with the defaults of its server or with a given server', async () => {
    expect((await action('listAnimals')).url).toBe('https://eu.clinic.example/v2/animals')
    const { operations } = await imported(sampleOpenApi, {
      serverUrl: 'http://localhost:8080/api/',
    })
    expect(operations[2]?.action.url).toBe('http://localhost:8080/api/animals/{animalId}')
  })

  test('provides the parameters of the path and of the operation', async () => {
    const { parameters } = await action('listAnimals')
    expect(argumentsSchema(parameters)).toEqual({
      type: 'object',
      properties: {
        tenant: { type: 'string' },
        kind: {
          type: 'array',
          items: { type: 'string', enum: ['dog', 'cat'] },
          description: 'What it is.',
        },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default: 20.' },
        X_Trace: { type: 'string', description: '(uuid)' },
      },
      required: ['tenant'],
      additionalProperties: false,
    })
  })

  test('provides the fields of a body, with references and allOf resolved and without patterns', async () => {
    const { parameters, body_type } = await action('add_animal')
    const { properties, required } = argumentsSchema(parameters)
    expect(body_type).toBe('json')
    expect(required).toEqual(['tenant', 'name', 'born'])
    expect(properties).toMatchObject({
      name: { type: 'string', maxLength: 50, description: 'Its name.' },
      born: { type: 'string', description: '(date)' },
      weight: { type: 'number' },
      owner: {
        type: 'object',
        properties: { name: { type: 'string' }, friends: { type: 'array' } },
      },
    })
    expect(properties).not.toHaveProperty('id')
    expect(JSON.stringify(properties)).not.toContain('pattern')
  })

  test('may have a list as a body', async () => {
    const schema = {
      type: 'array',
      items: { type: 'object', properties: { to: { type: 'string' } } },
    }
    const post = { requestBody: { content: { 'application/json': { schema } } } }
    const { operations, skipped } = await imported(documentOf({ '/emails/batch': { post } }))
    expect(skipped).toEqual([])
    expect(operations[0]?.action).toMatchObject({
      body_template: '"{{items}}"',
      parameters: [{ in: 'body', key: 'items', type: 'array', required: true }],
    })
  })

  test('has every parameter of a path, even if the operation declares others', async () => {
    const parameters = [
      { name: 'id', in: 'query', schema: { type: 'integer' } },
      { name: 'other', in: 'path', schema: { type: 'string' } },
    ]
    const { operations } = await imported(documentOf({ '/jobs/{id}': { get: { parameters } } }))
    expect(operations[0]?.action.parameters).toMatchObject([
      { in: 'query', key: 'id', type: 'integer' },
      { in: 'path', key: 'id', type: 'string', required: true },
    ])
  })

  const tags = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }
  const filter = {
    type: 'object',
    required: ['from'],
    properties: { from: { type: 'string' }, size: { type: 'integer' } },
  }
  test.each([
    ['repeats a list', { schema: tags }, ['p array']],
    ['joins a list', { schema: tags, explode: false }, ['p string Any of: a, b. Several are separated by commas.']], // prettier-ignore
    ['joins a list otherwise', { schema: tags, style: 'pipeDelimited' }, ['p string Any of: a, b. Several are separated by |.']], // prettier-ignore
    ['joins a list in a header', { in: 'header', schema: tags }, ['p string Any of: a, b. Several are separated by commas.']], // prettier-ignore
    ['names fields in brackets', { schema: filter, style: 'deepObject' }, ['p[from] string', 'p[size] integer']], // prettier-ignore
    ['names fields alone', { schema: filter }, ['from string', 'size integer']],
    ['writes an object as JSON', { content: { 'application/json': { schema: filter } } }, ['p object']], // prettier-ignore
  ])('%s if the style of the parameter says so', async (_, fields, expected) => {
    const parameters = [{ name: 'p', in: 'query', ...fields }]
    const { operations } = await imported(documentOf({ '/search': { get: { parameters } } }))
    const made = operations[0]?.action.parameters ?? []
    expect(made.map(({ key, type, instructions = '' }) => `${key} ${type} ${instructions}`.trim())).toEqual(expected) // prettier-ignore
  })

  test('has a form as its body if the operation accepts one', async () => {
    expect(await action('getToken')).toMatchObject({
      body_type: 'form',
      parameters: [
        { in: 'query', key: 'key', source: 'variable', value: 'QUERY_KEY' },
        { in: 'body', key: 'grant_type', required: true },
        { in: 'body', key: 'scope', required: false },
      ],
    })
  })

  test('names the secrets that its operations need and contains references to them', async () => {
    const { needed } = await imported(sampleOpenApi)
    expect(needed.map(({ name }) => name)).toEqual(['API_KEY', 'OAUTH', 'LOGIN', 'QUERY_KEY'])
    expect((await action('listAnimals')).headers).toEqual({ 'X-Api-Key': '{{var.API_KEY}}' })
    expect((await action('add_animal')).headers).toEqual({
      authorization: 'Bearer {{var.OAUTH}}',
    })
    expect((await action('removeAnimal')).headers).toEqual({
      authorization: 'Basic {{var.LOGIN}}',
    })
    expect((await action('get_animals_animalId')).headers).toEqual({})
  })

  test('is limited to the chosen operations, by id or by path', async () => {
    const only = ['removeAnimal', 'GET /animals']
    const { operations } = await imported(sampleOpenApi, { only })
    expect(operations.map((one) => one.action.name)).toEqual(['listAnimals', 'removeAnimal'])
  })

  test('with endless references is read in bounded time', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`f${n}`, { $ref: '#/components/schemas/Maze' }]),
    )
    const schema = { $ref: '#/components/schemas/Maze' }
    const post = { requestBody: { content: { 'application/json': { schema } } } }
    const maze = {
      openapi: '3.0.3',
      servers: [{ url: 'https://a.example' }],
      paths: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`/a${n}`, { post }])),
      components: {
        schemas: {
          Maze: { type: 'object', properties },
          Loop: { $ref: '#/components/schemas/Loop' },
        },
      },
    }
    const startedAt = performance.now()
    const { operations, skipped } = await imported(JSON.stringify(maze))
    expect(operations[0]?.action.parameters).toHaveLength(40)
    expect(operations.length + skipped.length).toBe(300)
    expect(skipped.at(-1)?.reason).toMatch(/too large to be read/)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe('A document is refused', () => {
  const aliases = ['a: &a [x,x,x,x,x,x,x,x,x]']
  for (const [n, name] of [...'bcdefghij'].entries()) {
    const last = 'abcdefghij'[n]
    aliases.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${last}`).join(',')}]`)
  }

  test.each([
    ['that is neither JSON nor YAML', '{"a": [', /not an object in JSON or YAML/],
    ['that is not an object', '- a', /not an object/],
    ['of Swagger 2', 'swagger: "2.0"', /Swagger 2/],
    ['without a version', 'paths: {}', /openapi: 3/],
    ['with exponential aliases', `openapi: 3.0.0\n${aliases.join('\n')}`, /not an object/],
    ['that is too long', 'x'.repeat(2_000_001), /longer than 2000000/],
  ])('%s', async (_, text, message) => {
    await expect(imported(text)).rejects.toThrow(message)
  })

  test.each(['.evil.example/x', '@evil.example/x', ':99/x', ''])(
    'by operation, when its path %j could change the host',
    async (path) => {
      const text = documentOf({ [path]: { get: {} }, '/good': { get: {} } })
      const serverUrl = 'https://api.mycorp.example'
      const { operations, skipped } = await imported(text, { serverUrl })
      expect(operations.map(({ action }) => action.url)).toEqual([`${serverUrl}/good`])
      const reason = 'Its path does not begin with a slash.'
      expect(skipped).toEqual([{ operation: `GET ${path}`, reason }])
    },
  )

  test('by operation, when it names no server', async () => {
    const { operations, skipped } = await imported('{"openapi":"3.0.0","paths":{"/a":{"get":{}}}}')
    expect(operations).toEqual([])
    expect(skipped).toEqual([
      { operation: 'GET /a', reason: 'The document names no server: give server_url.' },
    ])
  })
})
