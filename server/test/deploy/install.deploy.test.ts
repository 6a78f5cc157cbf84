import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/until.ts'
import { ImageStore } from './image.ts'
import { Machine } from './machine.ts'
import { absenceOf } from './tools.ts'

const settings = '/etc/parley/parley.env'
const mainPid = 'systemctl show --property MainPID parley.service'
const newer = ['9998-newer.sql', 'create table newer (id text primary key);\n'] as const
/** Each run installs packages. */
const installingMs = 900_000

/** The tests run in this order: each begins with the machine that the one before has left. */
describe.skipIf(absenceOf(['buildah', 'podman', 'runc', 'debootstrap']) !== null)(
  'install.sh under systemd',
  { timeout: installingMs },
  () => {
    let store: ImageStore
    let machine: Machine
    let port: number
    let key: string

    beforeAll(async () => {
      store = await ImageStore.create()
      await store.createBases()
      await store.buildStandIn('systemd', 'parley-build-base')
      machine = await Machine.start(store)
      port = await freePort()
    }, installingMs)

    afterAll(async () => {
      await machine?.remove()
      await store?.remove()
    })

    const install = (environment = '') =>
      machine.shell(`${environment} /src/deploy/install.sh 2>&1`)
    const isActive = () => machine.shell('systemctl is-active parley.service')
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'parley-guide-10001',
          messages: [{ role: 'user', content: 'How do I continue a conversation?' }],
        }),
      })
    /** What it prints when it fails. */
    const refusal = async (environment = '') => {
      const error: unknown = await install(environment).catch((reason: unknown) => reason)
      return z.object({ code: z.literal(1), stdout: z.string() }).parse(error).stdout
    }
    const addMigration = async (name: string, sql: string) => {
      const path = join(machine.checkout, 'server/migrations', name)
      await writeFile(path, sql)
      return path
    }

    test('installs a service that answers and starts with the machine', async () => {
      expect(await install(`PORT=${port}`)).toContain(`Parley runs on port ${port}.`)
      const log = await machine.shell('journalctl --unit parley.service --output cat')
      expect(log).toMatch(/\/login\?|set-up|setup/i)
      key = /Bearer (svc_ck_\w+)/.exec(log)?.[1] ?? ''
      expect((await ask()).status).toBe(200)
      expect(await machine.shell('systemctl is-enabled parley.service')).toBe('enabled\n')
      const rights = await machine.shell(`stat -c '%a %U' ${settings} /var/lib/parley`)
      expect(rights).toBe('600 root\n700 parley\n')
      expect(await machine.shell('cd /root && parley doctor')).toContain('/var/lib/parley can be')
      expect(await machine.shell(`stat -c %U /proc/$(${mainPid} --value)`)).toBe('parley\n')
    })

    test('changes neither data nor settings when it runs again', async () => {
      await machine.shell(`echo 'LOG_LEVEL=info' >>${settings}`)
      const before = await machine.shell(`cat ${settings}`)
      await install()
      expect(await machine.shell(`cat ${settings}`)).toBe(before)
      // The key is of the first database.
      expect((await ask()).status).toBe(200)
      expect(await isActive()).toBe('active\n')
    })

    test('leaves the installed version as it is if the new one does not start', async () => {
      const main = join(machine.checkout, 'server/src/main.ts')
      const text = await readFile(main, 'utf8')
      await writeFile(main, 'process.exit(1)\n')
      const running = await machine.shell(mainPid)
      expect(await refusal()).toContain('The installed one is as it was')
      expect(await machine.shell(mainPid)).toBe(running)
      expect((await ask()).status).toBe(200)
      await writeFile(main, text)
    })

    test('prints the way back from a migration that fails halfway, and that way works', async () => {
      await addMigration(...newer)
      // The database on which the new version is tried has no agent yet.
      const failing = await addMigration(
        '9999-failing.sql',
        'create table failing (id text check (id is null));\ninsert into failing select id from agents;\n',
      )
      const refused = await refusal('INSTALL_PATIENCE=40')
      expect(refused).toContain('the new version did not become ready')
      const [, way = ''] = /To go back to the former version:\n(.*)/s.exec(refused) ?? []
      expect(way).toContain('parley restore --force')
      await machine.shell(`set -e\n${way}`)
      await until('the former version answers', () =>
        ask().then(
          ({ status }) => status === 200,
          () => false,
        ),
      )
      expect(await machine.shell('parley migrate --plan')).toContain('nothing is pending')
      await rm(failing)
    })

    test('upgrades, keeps the data, and keeps the former code', async () => {
      await addMigration(...newer)
      expect(await install()).toContain('newer')
      expect((await ask()).status).toBe(200)
      const kept =
        'ls /opt/parley.former/server/migrations /opt/parley/server/migrations | grep -c 9998'
      expect(await machine.shell(kept)).toBe('1\n')
    })

    test('removes the service and the code, twice, and not what a person made', async () => {
      for (const _ of [1, 2])
        expect(await machine.shell('/src/deploy/install.sh --remove')).toContain(
          'Parley is removed',
        )
      const left = await machine.shell(
        'ls -d /opt/parley* /etc/systemd/system/parley.service /usr/local/bin/parley 2>/dev/null || :',
      )
      expect(left).toBe('')
      expect(await machine.shell('systemctl is-active parley.service || :')).toBe('inactive\n')
      await machine.shell(`test -s ${settings} && test -s /var/lib/parley/parley.sqlite`)
    })

    test('continues with the data and settings that a removal has left', async () => {
      await install()
      expect((await ask()).status).toBe(200)
    })
  },
)
