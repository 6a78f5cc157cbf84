import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley } from '#test/support/parley-process.ts'

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
    const actions = jsonl.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).action)
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
