import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'

cleansUp()

describe('parley audit export', () => {
  test('writes a workspace’s audit log as CSV or JSON Lines, and all of them with --all', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    await parley(['call', 'create_app', '{"name":"Audited"}'], environment)
    const csv = await parley(['audit', 'export', '--action', 'create_app'], environment)
    expect(csv.code).toBe(0)
    const [head, row] = csv.stdout.split('\r\n')
    expect(head).toMatch(/^id,at,workspace_id,actor_id,actor_email,face,/)
    expect(row).toContain(',create_app,')
    const jsonl = await parley(['audit', 'export', '--format', 'jsonl'], environment)
    const lines = jsonl.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const actions = lines.map(({ action }) => action)
    expect(lines.at(-1)).toMatchObject({ head: { seq: actions.length - 1 } })
    expect(actions.slice(0, 3)).toEqual([
      'export_audit_events',
      'export_audit_events',
      'create_app',
    ])
    const all = await parley(['audit', 'export', '--all', '--outcome', 'refused'], environment)
    expect([all.code, all.stdout.split('\r\n').length]).toEqual([0, 2])
  }, 60_000)

  test('is refused to users who may not read the log, and explains invalid options', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const wrong = await parley(['audit', 'export', '--format', 'xml'], environment)
    expect([wrong.code, wrong.stderr]).toEqual([2, 'parley: --format is one of csv, jsonl\n'])
    const both = await parley(['audit', 'export', '--all', '--as', 'a@b.c'], environment)
    expect(both.code).toBe(2)
    const time = await parley(['audit', 'export', '--from', 'yesterday'], environment)
    expect([time.code, time.stdout]).toEqual([1, ''])
    expect(time.stderr).toContain('from')
  }, 60_000)
})

describe('parley audit verify', () => {
  test('finds the log of several processes intact, and what was changed behind their back', async () => {
    const DATA_DIR = join(await emptyFolder(), 'data')
    const environment = { DATA_DIR, DEMO: 'false', LOG_LEVEL: 'error' }
    const service = await startParley(environment)
    const create = (n: number) => parley(['call', 'create_app', `{"name":"A${n}"}`], environment)
    await Promise.all([1, 2, 3].map(create))
    const intact = await parley(['audit', 'verify'], environment)
    expect(intact.stdout).toMatch(/^workspace \S+: 3 entries checked, newest 3 \S{43}$/m)
    // Nothing has happened outside of workspaces.
    expect(intact.stdout).toMatch(/^instance: 0 entries checked$/m)
    expect([intact.code, intact.stdout.split('\n').at(-2)]).toEqual([0, 'the audit log is intact'])
    service.signal('SIGTERM')
    await service.finished
    const file = join(DATA_DIR, 'export.jsonl')
    await writeFile(file, (await parley(['audit', 'export', '--format', 'jsonl'], environment)).stdout) // prettier-ignore
    const since = ['audit', 'verify', '--since', file]
    expect((await parley(since, environment)).code).toBe(0)
    const raw = new DatabaseSync(join(DATA_DIR, 'parley.sqlite'))
    raw.exec('drop trigger audit_events_stay; delete from audit_events where seq = 4')
    raw.exec('update workspaces set purge_began_at = 1')
    for (const command of [['audit', 'verify'], since]) {
      const changed = await parley(command, environment)
      expect(changed.code).toBe(1)
      expect(changed.stdout).toMatch(/^workspace \S+: PROBLEM: entry 4 is missing, the newest$/m)
    }
    raw.exec('delete from audit_events; delete from audit_chains')
    raw.close()
    const empty = await parley(['audit', 'verify'], environment)
    expect(empty.code).toBe(1)
    expect(empty.stdout).toContain('instance: PROBLEM: the head of the instance is missing\n')
    const none = await parley(['audit', 'verify', '--since', join(DATA_DIR, 'none')], environment)
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('ENOENT')])
    const wrong = await parley(['audit', 'verify', '--from', 'x'], environment)
    expect([wrong.code, wrong.stderr]).toEqual([2, 'parley: audit verify has no option --from\n'])
  }, 120_000)
})
