import { copyFile, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import { startS3Server } from '#test/support/servers/s3-server.ts'
import { until } from '#test/support/until.ts'

cleansUp()

async function namesIn(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await parley(['call', 'list_apps'], environment)
  return JSON.parse(stdout).items.map(({ name }: { name: string }) => name)
}

/** A folder with one agent, and a backup of it next to it. */
async function backedUp() {
  const folder = await emptyFolder()
  const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
  await parley(['call', 'create_app', '{"name":"Kept"}'], environment)
  const file = join(folder, 'parley.backup')
  const made = await parley(['backup', file], environment)
  expect(made).toMatchObject({ code: 0, stderr: '' })
  return { folder, environment, file }
}

describe('a backup', () => {
  test('is taken while the service runs, is one file of this user, and is complete', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data') }
    await startParley(environment)
    const file = join(folder, 'parley.backup')
    const made = await parley(['backup', file], environment)
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/^\S+parley\.backup: [\d.]+ MB, schema \d+, checked\n$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const other = { DATA_DIR: join(folder, 'other') }
    const restored = await parley(['restore', file], other)
    expect(restored.code).toBe(0)
    expect(restored.stderr).toMatch(/needs the secret key with fingerprint [0-9a-f]{16}: put its/)
    await writeFile(
      join(other.DATA_DIR, 'secret.key'),
      await readFile(join(environment.DATA_DIR, 'secret.key')),
    )
    expect(await namesIn(other)).toEqual(['Parley Guide'])
  })

  test('overwrites a file only with --force', async () => {
    const { environment, file } = await backedUp()
    const again = await parley(['backup', file], environment)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/already exists/) })
    expect((await parley(['backup', file, '--force'], environment)).code).toBe(0)
  })

  test('fails in one line if there is no database or no target folder', async () => {
    const { folder, environment } = await backedUp()
    const fails = (line: string) => ({ code: 1, stdout: '', stderr: `parley: ${line}\n` })
    const [none, no] = [join(folder, 'none'), join(folder, 'no')]
    expect(await parley(['backup', join(folder, 'x')], { DATA_DIR: none })).toEqual(
      fails(
        `the backup failed: there is no database in ${none}: set DATA_DIR to that of the service`,
      ),
    )
    expect(await parley(['backup', join(no, 'where')], environment)).toEqual(
      fails(`there is no folder ${no}: create it, or name a file elsewhere`),
    )
  })
})

describe('backups of the service', () => {
  const namesOf = async (folder: string) => (await readdir(folder).catch(() => [])).toSorted()

  test('are created while it runs, can be restored, and are not repeated by a restart', async () => {
    const folder = await emptyFolder()
    const backups = join(folder, 'backups')
    const environment = { DATA_DIR: join(folder, 'data'), BACKUP_DIR: backups, BACKUP_EVERY: '1d' }
    const log: string[] = []
    for (let start = 0; start < 2; start += 1) {
      const service = await startParley(environment)
      const hasRun = async () => {
        const { stdout } = await parley(['doctor'], environment)
        return /^ok {6}backups +1 in \S+, the newest 0\.\d hours old$/m.test(stdout)
      }
      await until('a backup is there', hasRun)
      service.signal('SIGTERM')
      log.push((await service.finished).stderr)
    }
    const [name = '', ...others] = await namesOf(backups)
    expect(name).toMatch(/^parley-\d{8}T\d{6}Z\.backup$/)
    expect(others).toEqual([])
    expect(log[0]).toContain('a backup was created and checked')
    await parley(['call', 'create_app', '{"name":"Later"}'], environment)
    await parley(['restore', join(backups, name), '--force'], environment)
    expect(await namesIn(environment)).toEqual(['Parley Guide'])
  })

  test('are shown by doctor with the reason if they fail', async () => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'file'), '')
    const environment = {
      DATA_DIR: join(folder, 'data'),
      BACKUP_DIR: join(folder, 'file/backups'),
      BACKUP_EVERY: '1d',
    }
    const service = await startParley(environment)
    await until('the failure is stored', async () => {
      const { stdout } = await parley(['doctor'], environment)
      return /^failed {2}backups .*ENOTDIR.*\n +fix: /m.test(stdout)
    })
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    service.signal('SIGTERM')
    expect((await service.finished).stderr).toContain('the backup failed; it is retried')
  })

  test('can be created by a command, which deletes the oldest ones', async () => {
    const { folder, environment } = await backedUp()
    const backups = join(folder, 'backups')
    const older = ['parley-20260101T000000Z.backup', 'parley-20260102T000000Z.backup']
    await mkdir(backups)
    for (const name of [...older, 'notes.txt']) await writeFile(join(backups, name), '')
    const into = { ...environment, BACKUP_DIR: backups, BACKUP_KEEP: '2' }
    const { code, stdout } = await parley(['backup'], into)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\S+Z\.backup: .*, checked\ndeleted parley-20260101T000000Z\.backup\n$/)
    expect(await namesOf(backups)).toEqual(['notes.txt', older[1], expect.any(String)])
  })
})

describe('a backup in a store of objects', () => {
  test('is created, shown by doctor, and restored by its address', async () => {
    const store = await startS3Server()
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false', ...store.environment() }
    await parley(['call', 'create_app', '{"name":"Kept"}'], environment)
    const created = await parley(['backup'], environment)
    expect(created).toMatchObject({ code: 0, stderr: '' })
    const [, address = ''] =
      /^(s3:\/\/parley-backups\/instance\/daily\/\S+Z\.backup): /.exec(created.stdout) ?? []
    expect(store.objects.size).toBe(1)
    const { stdout } = await parley(['doctor'], { ...environment, BACKUP_EVERY: '1d' })
    expect(stdout).toMatch(
      /^ok {6}backups +1 in s3:\/\/parley-backups\/instance\/daily, the newest/m,
    )
    await parley(['call', 'create_app', '{"name":"Later"}'], environment)
    const restored = await parley(['restore', address, '--force'], environment)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(await namesIn(environment)).toEqual(['Kept'])
    expect(await readdir(join(environment.DATA_DIR, 'backups'))).toEqual([])
    await store.close()
  })

  test('fails in one line that has no credential', async () => {
    const store = await startS3Server()
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false', ...store.environment() }
    await parley(['call', 'list_apps'], environment)
    const wrong = { ...environment, S3_SECRET_ACCESS_KEY: 'another-secret-of-s3' }
    const { code, stderr } = await parley(['backup'], wrong)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^parley: the backup failed: the store answered 403 .*S3_SECRET.*\n$/)
    const bundle = join(environment.DATA_DIR, 'bundle.txt')
    await parley(['support-bundle', bundle], { ...wrong, BACKUP_EVERY: '1d' })
    const text = await readFile(bundle, 'utf8')
    expect(text).toContain('SignatureDoesNotMatch')
    expect(text + stderr).not.toContain('another-secret-of-s3')
    const none = { ...environment, S3_SECRET_ACCESS_KEY: '' }
    expect(await parley(['backup'], none)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('S3_SECRET_ACCESS_KEY are required with BACKUP_TO'),
    })
    await store.close()
  })
})

describe('a restore', () => {
  test('replaces a non-empty database only with --force, and keeps the old one', async () => {
    const { environment, file } = await backedUp()
    await parley(['call', 'create_app', '{"name":"Later"}'], environment)
    const refused = await parley(['restore', file], environment)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/--force/) })
    expect(await namesIn(environment)).toEqual(['Later', 'Kept'])
    const forced = await parley(['restore', file, '--force'], environment)
    expect(forced).toMatchObject({ code: 0, stderr: '' })
    expect(await namesIn(environment)).toEqual(['Kept'])
    const [, aside = ''] = /is now (\S+)\n/.exec(forced.stdout) ?? []
    await parley(['restore', aside, '--force'], environment)
    expect(await namesIn(environment)).toEqual(['Later', 'Kept'])
  })

  test('is refused while a service runs, which continues undisturbed', async () => {
    const { environment, file } = await backedUp()
    const service = await startParley(environment)
    const refused = await parley(['restore', file, '--force'], environment)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/stop it first\n$/) })
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    await parley(['call', 'create_app', '{"name":"Still writable"}'], environment)
    expect(await namesIn(environment)).toContain('Still writable')
  })

  test('changes nothing if the backup is damaged, not a backup, or missing', async () => {
    const { folder, environment, file } = await backedUp()
    const note = join(folder, 'note.txt')
    await writeFile(note, 'This is no backup. '.repeat(500))
    // Without its last pages, the damage shows only once every page is read.
    const endless = join(folder, 'endless')
    await copyFile(file, endless)
    const { size } = await stat(file)
    await truncate(endless, Math.floor(size * 0.9))
    await truncate(file, Math.floor(size / 2))
    for (const wrong of [file, endless, note, join(folder, 'missing')]) {
      const { code, stderr } = await parley(['restore', wrong, '--force'], environment)
      expect(code).toBe(1)
      expect(stderr).toMatch(/^parley: \S+ was not restored: .*\n$/)
    }
    expect(await namesIn(environment)).toEqual(['Kept'])
  })
})

// Skipped if npm has no PostgreSQL for the platform; global-setup.ts explains this once, with a
// fix.
describe.skipIf(inject('postgresUrl') === '')('moving to PostgreSQL and back', () => {
  const made: DatabaseSettings[] = []
  afterEach(async () => {
    await Promise.all(made.splice(0).map(dropDatabase))
  })

  test('keeps all data, and searches find knowledge there too', async () => {
    const folder = await emptyFolder()
    const embedded = { DATA_DIR: join(folder, 'data') }
    await parley(['call', 'list_apps'], embedded)
    const SECRET_KEY = (await readFile(join(embedded.DATA_DIR, 'secret.key'), 'utf8')).trim()
    const database = await makeDatabase('postgres')
    made.push(database)
    const postgres = { DATABASE_URL: database.databaseUrl ?? '', SECRET_KEY }
    const back = { DATA_DIR: join(folder, 'back'), SECRET_KEY }
    await parley(['backup', join(folder, 'a')], embedded)
    const there = await parley(['restore', join(folder, 'a')], postgres)
    expect(there).toMatchObject({ code: 0, stderr: '' })
    expect(there.stdout).not.toMatch(/^0 chunks/m)
    await parley(['backup', join(folder, 'b')], postgres)
    expect(await parley(['restore', join(folder, 'b')], back)).toMatchObject({ code: 0 })
    const wanted = await found(embedded)
    expect(wanted).toContain('Sessions')
    expect(await found(postgres)).toEqual(wanted)
    expect(await found(back)).toEqual(wanted)
  })

  async function found(environment: Readonly<Record<string, string>>): Promise<string[]> {
    const query = { app_id: 'parley-guide-10001', query: 'How do I continue a conversation?' }
    const args = ['call', 'search_knowledge', JSON.stringify(query)]
    const { stdout } = await parley(args, environment)
    return JSON.parse(stdout).items.map(({ title }: { title: string }) => title)
  }
})
