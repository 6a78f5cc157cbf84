import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, emptyFolder, parley } from '#test/support/processes/parley-process.ts'
import { startS3Server } from '#test/support/servers/s3-server.ts'

cleansUp()

const servers: ModelServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

describe('doctor', () => {
  test('finds no problem in an empty folder, and creates nothing in it', async () => {
    const DATA_DIR = join(await emptyFolder(), 'data')
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(0)
    expect(stdout).not.toContain('failed')
    expect((await parley(['migrate', '--status'], { DATA_DIR })).code).toBe(1)
  })

  test('shows the schema version and the key fingerprint of a database', async () => {
    const environment = { DATA_DIR: await emptyFolder() }
    await parley(['call', 'list_apps'], environment)
    const { code, stdout } = await parley(['doctor'], environment)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {6}schema +version (\d+) of \1$/m)
    expect(stdout).toMatch(/^ok {6}secret key +fingerprint [0-9a-f]{16}$/m)
  })

  test('reports every invalid variable, and checks nothing else', async () => {
    const { code, stdout } = await parley(['doctor'], { PORT: 'http', LOG_LEVEL: 'loud' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^failed {2}configuration +PORT /m)
    expect(stdout).toMatch(/^failed {2}configuration +LOG_LEVEL /m)
    expect(stdout).not.toContain('database')
  })

  test('reports a folder that cannot be written, with a fix', async () => {
    const DATA_DIR = join(await emptyFolder(), 'file')
    await writeFile(DATA_DIR, '')
    await chmod(DATA_DIR, 0o400)
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^failed {2}data folder .*\n +fix: .*DATA_DIR/m)
  })

  test('runs every check even if the database cannot be opened', async () => {
    const DATA_DIR = await emptyFolder()
    await mkdir(join(DATA_DIR, 'parley.sqlite'))
    const embedding = { EMBEDDING_MODEL: 'openai/x', OPENAI_API_KEY: 'sk-secret' }
    const environment = { DATA_DIR, ...embedding, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }
    const { code, stdout, stderr } = await parley(['doctor'], environment)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^failed {2}database .*\n +fix: /m)
    expect(stdout).toMatch(/^failed {2}openai .*\n +fix: /m)
  })

  test('lists each secret without all its hosts, after a start gave others those of their actions', async () => {
    const DATA_DIR = await emptyFolder()
    const call = async (name: string, input: Record<string, unknown>) =>
      JSON.parse((await parley(['call', name, JSON.stringify(input)], { DATA_DIR })).stdout)
    const { id: app_id, app_name_id } = await call('create_app', { name: 'Old agent' })
    const secret = { app_id, type: 'secret', value: 'hidden', hosts: ['before.example'] }
    await call('set_app_variable', { ...secret, name: 'USED' })
    await call('set_app_variable', { ...secret, name: 'UNUSED' })
    const url = 'https://api.example.com/?k={{var.USED}}'
    const action = { app_id, name: 'find', description: 'Finds', method: 'GET', url }
    await call('create_custom_action', action)
    await call('set_app_variable', { ...secret, name: 'MIXED' })
    const mixed = { ...action, name: 'mix', url: 'https://api.example.com/?m={{var.MIXED}}' }
    await call('create_custom_action', mixed)
    const unknown = {
      ...mixed,
      name: 'guess',
      url: 'https://{{var.REGION}}.example/?m={{var.MIXED}}',
    }
    await call('create_custom_action', unknown)
    const { id: gone, app_name_id: goneName } = await call('create_app', { name: 'Deleted agent' })
    await call('set_app_variable', { ...secret, app_id: gone, name: 'LOST' })
    await call('delete_app', { app_id: gone })
    const raw = new DatabaseSync(join(DATA_DIR, 'parley.sqlite'))
    raw.exec('update agent_variables set hosts_json = null')
    raw.close()
    const { items } = await call('list_app_variables', { app_id })
    expect(items).toMatchObject([
      { name: 'MIXED', hosts: ['api.example.com'] },
      { name: 'UNUSED', hosts: [] },
      { name: 'USED', hosts: ['api.example.com'] },
    ])
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^failed {2}secret hosts .*\n +fix: /m)
    expect(stdout).toContain(`${app_name_id} UNUSED is sent to no host\n`)
    expect(stdout).toContain(
      `${app_name_id} MIXED is sent only to api.example.com, and an action that uses it does not name its host\n`,
    )
    expect(stdout).toContain(`${goneName} LOST (of a deleted agent) is sent to no host\n`)
    expect(stdout).not.toContain(`${app_name_id} USED`)
    await call('set_app_variable', { ...secret, name: 'MIXED', hosts: ['eu.example'] })
    expect((await parley(['doctor'], { DATA_DIR })).stdout).not.toContain('MIXED')
  })

  test('lists agents whose model id is not valid', async () => {
    const DATA_DIR = await emptyFolder()
    const made = await parley(['call', 'create_app', '{"name":"Old agent"}'], { DATA_DIR })
    const { id, app_name_id } = JSON.parse(made.stdout)
    const raw = new DatabaseSync(join(DATA_DIR, 'parley.sqlite'))
    raw
      .prepare(
        "update agents set settings_json = json_set(settings_json, '$.model', ?) where id = ?",
      )
      .run('google/../../admin/x?', id)
    raw.close()
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(1)
    expect(stdout).toContain(`not valid: ${app_name_id} (google/../../admin/x?)`)
    expect(stdout).toMatch(/^failed {2}agent models .*\n +fix: /m)
  })

  test('reports a missing secret key', async () => {
    const DATA_DIR = await emptyFolder()
    await parley(['call', 'list_apps'], { DATA_DIR })
    await rm(join(DATA_DIR, 'secret.key'))
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed {2}secret key +the database needs [0-9a-f]{16}, but this key is missing/m,
    )
  })

  test('reports an invalid secret key, as does the start, without a stack trace', async () => {
    const DATA_DIR = await emptyFolder()
    await parley(['call', 'list_apps'], { DATA_DIR })
    await writeFile(join(DATA_DIR, 'secret.key'), 'garbage')
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed {2}secret key .*does not hold 64 hexadecimal characters\n +fix: put the key of this database back, or set SECRET_KEY$/m,
    )
    const start = await parley(['start'], { DATA_DIR, PORT: '0', LOG_LEVEL: 'error' })
    expect(start.code).toBe(1)
    expect(start.stderr).toMatch(/^parley: \S+secret\.key does not hold .*SECRET_KEY\n$/)
  })

  test('checks each model provider, and reports which respond', async () => {
    const model = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'gpt-5.2', object: 'model' }] }))
    })
    servers.push(model)
    const { code, stdout } = await parley(['doctor'], {
      DATA_DIR: await emptyFolder(),
      OPENAI_API_KEY: 'sk-secret-of-the-operator',
      OPENAI_BASE_URL: model.baseUrl,
      OLLAMA_BASE_URL: 'http://127.0.0.1:1',
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ok {6}openai +reachable, offers 1 models?$/m)
    expect(stdout).toMatch(/^failed {2}ollama .*\n +fix: .*OLLAMA_BASE_URL/m)
    expect(stdout).not.toContain('sk-secret')
  })

  test('reports a default model whose provider is not configured', async () => {
    const { code, stdout } = await parley(['doctor'], {
      DATA_DIR: await emptyFolder(),
      DEFAULT_MODEL: 'anthropic/claude-sonnet-4-5',
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed {2}default model .*\n +fix: set ANTHROPIC_API_KEY, or set DEFAULT_MODEL to another model$/m,
    )
  })

  test('reports whether searches match by meaning, and what is missing if not', async () => {
    const DATA_DIR = await emptyFolder()
    const none = await parley(['doctor'], { DATA_DIR })
    expect(none.stdout).toMatch(/^ok {6}embeddings +no EMBEDDING_MODEL: full text only$/m)
    const EMBEDDING_MODEL = 'google/gemini-embedding-001'
    const keyless = await parley(['doctor'], { DATA_DIR, EMBEDDING_MODEL })
    expect(keyless.code).toBe(1)
    expect(keyless.stdout).toMatch(/^failed {2}embeddings .*google is not configured/m)
    const model = await startServer((response) => {
      response.end('{"data":[]}')
    })
    servers.push(model)
    const whole = await parley(['doctor'], {
      DATA_DIR,
      EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      OPENAI_API_KEY: 'sk-secret-of-the-operator',
      OPENAI_BASE_URL: model.baseUrl,
    })
    expect(whole.stdout).toMatch(/^ok {6}embeddings +openai\/text-embedding-3-small$/m)
    const lost = await parley(['doctor'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/parley',
      SECRET_KEY: 'ab'.repeat(32),
      EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      OPENAI_API_KEY: 'sk-secret-of-the-operator',
      OPENAI_BASE_URL: model.baseUrl,
    })
    expect(lost.stdout).toMatch(/^failed {2}database /m)
    expect(lost.stdout).not.toContain('embeddings')
  })
})

describe('doctor, with FILES_TO', () => {
  test('says where files are, and why the store refuses them', async () => {
    const store = await startS3Server()
    const { BACKUP_TO: _, ...keys } = store.environment()
    const environment = { ...keys, DATA_DIR: await emptyFolder() }
    await parley(['call', 'list_apps'], environment)
    const good = { ...environment, FILES_TO: 's3://parley-backups/files' }
    expect((await parley(['doctor'], good)).stdout).toMatch(
      /^ok {6}files +in s3:\/\/parley-backups\/files$/m,
    )
    const wrong = { ...environment, FILES_TO: 's3://another-bucket/files' }
    const { code, stdout } = await parley(['doctor'], wrong)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^failed {2}files .*NoSuchBucket.*\n +fix: correct FILES_TO/m)
    await store.close()
  })

  test('counts the objects that are still to be deleted, which needs the S3 settings', async () => {
    const store = await startS3Server()
    const { BACKUP_TO: _, ...keys } = store.environment()
    const DATA_DIR = await emptyFolder()
    await parley(['call', 'list_apps'], { DATA_DIR })
    const raw = new DatabaseSync(join(DATA_DIR, 'parley.sqlite'))
    const list = raw.prepare('insert into object_deletions (address, due_at) values (?, ?)')
    list.run('s3://parley-backups/a', 0)
    list.run('s3://parley-backups/b', Date.UTC(2999, 0, 1))
    raw.close()
    const counted = 'objects to be deleted: 2 (the last one on 2999-01-01T00:00:00.000Z)'
    const stored = { ...keys, DATA_DIR, FILES_TO: 's3://parley-backups/files' }
    expect((await parley(['doctor'], stored)).stdout).toContain(`files; ${counted}\n`)
    const back = await parley(['doctor'], { ...keys, DATA_DIR })
    expect(back.stdout).toMatch(/^ok {6}files +objects to be deleted: 2 /m)
    const { code, stdout } = await parley(['doctor'], { DATA_DIR })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^failed {2}files +objects to be deleted: 2 .*\n +fix: keep the S3/m)
    await store.close()
  })
})
