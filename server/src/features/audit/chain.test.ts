import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { createVault } from '#platform/vault.ts'
import { recordChange, tamper as tamperWith, verifyLog } from '#test/support/audit-chain.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { beginLog, exportAuditEvents, sealEvents, verifyChains, type ChainHead } from './index.ts'

describeInstance('the chain of the audit log', (open) => {
  let instance: TestInstance
  let ada: Person

  const fresh = async (entries = 6) => {
    instance = await open()
    ada = await instance.person()
    for (let n = 1; n <= entries; n += 1) await record(n)
    await sealEvents(instance.ctx)
  }

  const record = (n: number, workspaceId?: string | null) =>
    recordChange(instance.ctx, ada, n, workspaceId)

  /** As a version before the chain writes it. */
  async function recordUnsigned(n: number, now = instance.ctx.clock.now()) {
    const row = { id: newId(now), workspace_id: ada.workspaceId, created_at: now }
    const nobody = { user_id: null, via_kind: null, via_id: null, client: null, request_id: null }
    const what = { face: 'job', action: 'change', target: `record ${n}`, outcome: 'done' }
    const event = { ...row, ...nobody, ...what, detail_json: null }
    await instance.ctx.db.write((tx) => tx.insertInto('audit_events').values(event).execute())
  }

  const tamper = (...statements: readonly string[]) => tamperWith(instance.ctx, ...statements)

  const verify = (only: string | null = null, known: readonly ChainHead[] = []) =>
    verifyLog(instance.ctx, only, known)

  const ofAda = (condition: string) => `workspace_id = '${ada.workspaceId}' and ${condition}`
  const idOf = async (seq: number) => {
    const row = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select('id')
      .where('workspace_id', '=', ada.workspaceId)
      .where('seq', '=', seq)
      .executeTakeFirstOrThrow()
    return row.id
  }

  test('is intact as Parley wrote it, for all workspaces and for one', async () => {
    await fresh()
    await record(7, null)
    await sealEvents(instance.ctx)
    const { problems, ends } = await verify()
    expect(problems).toEqual([])
    expect(ends.map(({ chain, checked }) => [chain, checked])).toEqual([
      [ada.workspaceId, 6],
      ['instance', 1],
    ])
    expect((await verify(ada.workspaceId)).ends).toEqual([
      expect.objectContaining({ checked: 6, head: expect.objectContaining({ seq: 6 }) }),
    ])
  })

  test.each([
    ['a value', `set target = 'other'`],
    ['the time', 'set created_at = created_at + 1'],
    ['the person', 'set user_id = null'],
    ['the outcome', `set outcome = 'refused'`],
    ['what was changed', `set after_json = '{"role":"viewer"}'`],
    ['the MAC', `set mac = null`],
    ['the link', `set link = 'x'`],
  ])('shows which entry was changed: %s', async (_what, change) => {
    await fresh()
    for (const seq of [1, 3, 6]) {
      const id = await idOf(seq)
      await tamper(`update audit_events ${change} where id = '${id}'`)
      const { problems } = await verify()
      expect(problems.join('\n')).toContain(`entry ${seq} (${id}) was changed`)
    }
  })

  test.each([
    ['first', 'seq = 1', 'entry 1 is missing'],
    ['third', 'seq = 3', 'entry 3 is missing'],
    ['newest', 'seq = 6', 'entry 6 is missing, the newest'],
    ['newest four', 'seq > 2', 'entries 3 to 6 are missing, the newest'],
    ['whole', 'seq > 0', 'entries 1 to 6 are missing, the newest'],
  ])('shows that entries were deleted: the %s', async (_what, condition, problem) => {
    await fresh()
    await tamper(`delete from audit_events where ${ofAda(condition)}`)
    expect((await verify()).problems).toEqual([problem])
    // Nothing that Parley writes afterwards hides it.
    await record(8)
    await sealEvents(instance.ctx)
    expect((await verify()).problems[0]).toContain('missing')
  })

  test('shows that a whole log was deleted together with its head', async () => {
    await fresh()
    await tamper(`delete from audit_events where ${ofAda('seq > 0')}`)
    await tamper(`delete from audit_chains where chain = '${ada.workspaceId}'`)
    const problems = [expect.stringContaining('0 chains of workspaces instead of 1')]
    expect((await verify()).problems).toEqual(problems)
    expect((await verify(ada.workspaceId)).problems).toEqual(problems)
    // A new chain of the workspace does not hide it.
    await record(8)
    await sealEvents(instance.ctx)
    expect((await verify()).problems).toEqual([
      expect.stringContaining('1 chains of workspaces instead of 2'),
    ])
  })

  test('shows that the log of every workspace was deleted, and seals nothing afterwards', async () => {
    await fresh()
    const problems = ['the head of the instance is missing']
    await tamper('delete from audit_events', 'delete from audit_chains')
    expect((await verify()).problems).toEqual(problems)
    await record(8)
    await recordUnsigned(9)
    await beginLog(instance.ctx)
    await sealEvents(instance.ctx)
    expect((await verify()).problems).toEqual(problems)
    expect((await verify(ada.workspaceId)).problems).toEqual(problems)
    expect(await instance.ctx.db.read.selectFrom('audit_chains').selectAll().execute()).toEqual([])
  })

  test('has a head before its first event', async () => {
    instance = await open()
    await beginLog(instance.ctx)
    expect(await verify()).toMatchObject({
      problems: [],
      ends: [{ chain: 'instance', checked: 0 }],
    })
    await tamper('delete from audit_chains')
    expect((await verify()).problems).toEqual(['the head of the instance is missing'])
  })

  test('shows that a head was set back, or deleted', async () => {
    await fresh()
    const chain = `chain = '${ada.workspaceId}'`
    await tamper(`delete from audit_events where ${ofAda('seq = 6')}`)
    await tamper(
      `update audit_chains set seq = 5, link = (select link from audit_events where ${ofAda('seq = 5')}) where ${chain}`,
    )
    expect((await verify()).problems).toEqual(['its head was changed'])
    await tamper(`delete from audit_chains where ${chain}`)
    expect((await verify()).problems).toContain('its head was deleted')
    await record(9)
    await sealEvents(instance.ctx)
    expect((await verify()).problems).toContain('its head was deleted')
  })

  test('shows with an earlier export that newer entries and an older head were put back', async () => {
    await fresh(4)
    const older = await instance.ctx.db.read.selectFrom('audit_chains').selectAll().execute()
    await record(5)
    await sealEvents(instance.ctx)
    const text = await Array.fromAsync(
      exportAuditEvents(instance.ctx, { workspaceId: null }, 'jsonl'),
    )
    const lines = text
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const known = lines.flatMap(({ head }) => (head === undefined ? [] : [head]))
    expect(lines[0]).toMatchObject({ target: 'record 5', seq: 5 })
    expect(known).toContainEqual({ chain: ada.workspaceId, seq: 5, link: lines[0].link })
    await tamper(`delete from audit_events where ${ofAda('seq = 5')}`)
    const head = older.find(({ chain }) => chain === ada.workspaceId)!
    await tamper(
      `update audit_chains set seq = 4, link = '${head.link}', mac = '${head.mac}', updated_at = ${head.updated_at} where chain = '${ada.workspaceId}'`,
    )
    // The database alone is consistent.
    expect((await verify()).problems).toEqual([])
    expect((await verify(null, known)).problems).toEqual(['entry 5 is missing, the newest'])
    await record(6)
    await sealEvents(instance.ctx)
    expect((await verify(null, known)).problems).toEqual([
      expect.stringContaining('is not the one that a head names'),
    ])
  })

  test('shows that two entries were swapped', async () => {
    await fresh()
    const [two, three] = [await idOf(2), await idOf(3)]
    const linkOf = async (id: string) =>
      (await sql<{ link: string }>`select link from audit_events where id = ${id}`.execute(instance.ctx.db.read)).rows[0]!.link // prettier-ignore
    const [linkOfTwo, linkOfThree] = [await linkOf(two), await linkOf(three)]
    await tamper(`update audit_events set seq = 3, link = '${linkOfThree}' where id = '${two}'`)
    await tamper(`update audit_events set seq = 2, link = '${linkOfTwo}' where id = '${three}'`)
    expect((await verify()).problems).toEqual([
      `entry 2 (${three}) was changed, inserted or moved`,
      `entry 3 (${two}) was changed, inserted or moved`,
    ])
  })

  test('never accepts an inserted entry', async () => {
    await fresh()
    const columns = 'id, workspace_id, face, action, outcome, created_at'
    const forged = (id: string, more: string, values: string) =>
      `insert into audit_events (${columns}${more}) values ('${id}', '${ada.workspaceId}', 'cli', 'delete_app', 'done', ${instance.ctx.clock.now()}${values})`
    const ids = [newId(1), newId(2), newId(3), newId(4)] as const
    instance.advance(60_000)
    // Like an entry of an older version; with an invalid MAC; with a place; with a second place 6.
    await tamper(forged(ids[0], '', ''))
    await tamper(forged(ids[1], ', mac', `, 'forged'`))
    await tamper(forged(ids[2], ', mac, seq, link', `, 'forged', 7, 'forged'`))
    await tamper(forged(ids[3], ', mac, seq, link', `, 'forged', 6, 'forged'`))
    await sealEvents(instance.ctx)
    const { problems } = await verify()
    for (const id of ids) expect(problems.join('\n')).toContain(id)
    // A copy of a genuine entry under another id, in another workspace.
    await fresh()
    const other = await instance.person()
    await tamper(
      `update audit_events set workspace_id = '${other.workspaceId}' where ${ofAda('seq = 6')}`,
    )
    await sealEvents(instance.ctx)
    expect((await verify()).problems).toContain('entry 6 is missing, the newest')
    expect((await verify(other.workspaceId)).problems).not.toEqual([])
  })

  test('reports every entry under another secret key', async () => {
    await fresh(2)
    const ctx = { ...instance.ctx, vault: createVault('7'.repeat(64)) }
    const steps = await Array.fromAsync(verifyChains(ctx, ada.workspaceId))
    // Two entries, the head of their chain, and the head of the instance.
    expect(steps.filter((step) => 'problem' in step)).toHaveLength(4)
  })

  test('begins with the entries of the version before, and accepts more of them for a day', async () => {
    instance = await open()
    ada = await instance.person()
    for (let n = 1; n <= 450; n += 1) await recordUnsigned(n)
    await record(451)
    expect((await verify()).ends).toEqual([expect.objectContaining({ unsigned: 450, waiting: 1 })])
    await sealEvents(instance.ctx)
    instance.advance(60 * 60_000)
    await recordUnsigned(452)
    await sealEvents(instance.ctx)
    const first = await verify()
    expect(first.problems).toEqual([])
    expect(first.ends).toContainEqual(expect.objectContaining({ checked: 452, unsigned: 0 }))
    await tamper(`update audit_events set target = 'x' where id = '${await idOf(7)}'`)
    expect((await verify()).problems).toHaveLength(1)
    instance.advance(24 * 60 * 60_000)
    // Dated back, or not: it is too late for both.
    await recordUnsigned(453)
    await recordUnsigned(454, 0)
    await sealEvents(instance.ctx)
    expect((await verify()).problems).toEqual([
      expect.stringContaining('entry 7'),
      expect.stringContaining('or is of an older version'),
      expect.stringContaining('or is of an older version'),
    ])
  })

  test('the database still refuses to change a sealed entry', async () => {
    await fresh(2)
    const { write } = instance.ctx.db
    for (const change of [{ link: 'x' }, { seq: 9, link: 'x' }, { seq: null }, { mac: null }])
      await expect(
        write((tx) => tx.updateTable('audit_events').set(change).execute()),
      ).rejects.toThrow()
    await record(3)
    await expect(
      write((tx) =>
        tx
          .updateTable('audit_events')
          .set({ seq: 9, link: 'x', target: 'y' })
          .where('seq', 'is', null)
          .execute(),
      ),
    ).rejects.toThrow()
  })
})
