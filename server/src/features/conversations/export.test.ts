import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { rateAnswer } from '#features/analytics/index.ts'
import { newId } from '#kernel/ids.ts'
import { storeMessages, storeSession, type MessageInput } from '#test/support/chat/chat-history.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { exportConversations, type ConversationExport } from './export-conversations.ts'

interface ExportedCalls {
  readonly citations: unknown
  readonly action_calls: readonly { name: string }[] | null
}

describeInstance('an export of conversations', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Talker' })
    const place = { workspaceId: ada.workspaceId, agentId: agent.id }
    const { id } = await storeSession(instance.ctx.db, {
      ...place,
      endUser: '=cmd()',
      messages: [
        { role: 'user', at: 1000, content: 'He said "hi",\nthen left' },
        { role: 'assistant', at: 2000, content: 'Bye', model: 'openai/a', latency_ms: 7 },
      ],
    })
    const rated = { sessionId: id, messageId: null, rating: 'down', comment: 'No' } as const
    await rateAnswer(instance.ctx, ada, rated)
  })

  async function exported(of: Agent, wanted: Omit<ConversationExport, 'appId'>): Promise<string> {
    const pieces: string[] = []
    const lines = await exportConversations(instance.ctx, ada.workspaceId, {
      ...wanted,
      appId: of.id,
    })
    for await (const piece of lines) pieces.push(piece)
    return pieces.join('')
  }

  test('as JSONL is one record per message', async () => {
    const lines = (await exported(agent, { format: 'jsonl' })).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        seq: 1,
        role: 'user',
        content: 'He said "hi",\nthen left',
        end_user: '=cmd()',
        rating: null,
      },
      { seq: 2, role: 'assistant', content: 'Bye', latency_ms: 7, rating: 'down', comment: 'No' },
    ])
  })

  test('has the parts of a message as JSONL, in pieces, and none as CSV', async () => {
    const looks = await createAgent(instance.ctx, ada, { name: 'Eyes' })
    const url = `data:image/png;base64,${'a'.repeat(1_000_000)}`
    const parts = [
      { type: 'image', url },
      { type: 'text', text: 'Who "is"\nthis?' },
    ] as const
    await storeSession(instance.ctx.db, {
      workspaceId: ada.workspaceId,
      agentId: looks.id,
      messages: [
        { role: 'user', at: 1000, content: 'Who is this?', parts_json: JSON.stringify(parts) },
        { role: 'assistant', at: 2000, content: 'A cat.' },
      ],
    })
    const lines = (await exported(looks, { format: 'jsonl' })).trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line) as { parts: unknown })
    expect(records.map((record) => record.parts)).toEqual([parts, null])
    expect(await exported(looks, { format: 'csv' })).not.toContain('data:image')
  })

  test('has the citations and calls of each answer as JSONL, however long, and none as CSV', async () => {
    const acts = await createAgent(instance.ctx, ada, { name: 'Acts' })
    const place = { workspaceId: ada.workspaceId, agentId: acts.id }
    const cited = [{ source_id: 's', title: 'Cited source', passage: 'é"\n'.repeat(5_000) }]
    const citations_json = JSON.stringify(cited)
    for (const endUser of ['one', 'two']) {
      const answer = { role: 'assistant', at: 2000 } as const
      const { id, messageIds } = await storeSession(instance.ctx.db, {
        ...place,
        endUser,
        messages: [{ role: 'user', at: 1000 }, { ...answer, citations_json }, answer, answer],
      })
      // Each answer's calls are longer than what is read at once.
      for (const message_id of messageIds.slice(1, 3))
        for (const name of ['first', 'second', 'third'])
          await storeCall({ session_id: id, message_id, name, text: endUser })
    }
    const wanted = { format: 'jsonl', endUser: 'two' } as const
    const lines = (await exported(acts, wanted)).trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line) as ExportedCalls)
    expect(records.map(({ citations }) => citations)).toEqual([null, cited, null, null])
    const all = ['first', 'second', 'third']
    const names = records.map(({ action_calls }) => action_calls?.map(({ name }) => name) ?? null)
    expect(names).toEqual([null, all, all, null])
    expect(records[1]?.action_calls?.[0]).toEqual({
      id: expect.any(String),
      kind: 'action',
      name: 'first',
      title: 'A title',
      arguments: { text: 'two'.repeat(33_000) },
      status: 'done',
      http_status: 200,
      error_code: null,
      error: null,
      duration_ms: 7,
      response: 'Done, "well"',
      created_at: '1970-01-01T00:00:02.000Z',
    })
    const everybody = await exported(acts, { format: 'jsonl' })
    expect(everybody.trimEnd().split('\n')).toHaveLength(8)
    const csv = await exported(acts, { format: 'csv', endUser: 'two' })
    expect(csv.split('\r\n')).toHaveLength(6)
    expect(csv).not.toMatch(/Cited source|A title|,one,/)

    async function storeCall(of: Record<'session_id' | 'message_id' | 'name' | 'text', string>) {
      const { text, ...call } = of
      const ended = { status: 'done', http_status: 200, duration_ms: 7 }
      const response = { response_excerpt: 'Done, "well"', finished_at: 2000, created_at: 2000 }
      const args = { arguments_json: JSON.stringify({ text: text.repeat(33_000) }) }
      const { workspaceId: workspace_id, agentId: agent_id } = place
      const row = { id: newId(), kind: 'action', title: 'A title', workspace_id, agent_id }
      await instance.ctx.db.write((tx) =>
        tx
          .insertInto('action_calls')
          .values({ ...row, ...call, ...args, ...ended, ...response })
          .execute(),
      )
    }
  })

  test('as CSV quotes fields that need it, and escapes formulas', async () => {
    const text = await exported(agent, { format: 'csv' })
    const [head] = text.split('\r\n')
    expect(head).toMatch(
      /^session_id,begun_at,source,end_user,seq,message_id,created_at,role,content/,
    )
    expect(text).toContain(",'=cmd(),1,")
    expect(text).toContain(',user,"He said ""hi"",\nthen left",')
  })

  test('writes a message of a million characters in pieces that divide no character', async () => {
    const long = await createAgent(instance.ctx, ada, { name: 'Long' })
    const content = `=${'a"😀\u0001'.repeat(200_000)}`
    await storeSession(instance.ctx.db, {
      workspaceId: ada.workspaceId,
      agentId: long.id,
      endUser: '"content":""',
      messages: [{ role: 'user', at: 1000, content }],
    })
    const [line] = (await exported(long, { format: 'jsonl' })).split('\n')
    const record: unknown = JSON.parse(line ?? '')
    expect(record).toMatchObject({ end_user: '"content":""', role: 'user', comment: null })
    expect((record as { content: string }).content === content).toBe(true)
    const csv = await exported(long, { format: 'csv' })
    expect(csv.includes(`,user,"'${content.replaceAll('"', '""')}",,`)).toBe(true)
  })

  test('contains the conversations that began in the requested period', async () => {
    expect(await exported(agent, { format: 'jsonl', from: 1001 })).toBe('')
    expect(await exported(agent, { format: 'jsonl', to: 1000 })).toBe('')
    expect(await exported(agent, { format: 'jsonl', from: 1000, to: 1001 })).not.toBe('')
  })

  test('for another workspace’s agent is refused before its first line', async () => {
    const { workspaceId } = await instance.person()
    const wanted = { appId: agent.id, format: 'csv' } as const
    await expect(exportConversations(instance.ctx, workspaceId, wanted)).rejects.toMatchObject({
      code: 'record_not_found',
    })
  })

  test('has every message once, in order, and keeps at most one page of them in memory', async () => {
    const many = await createAgent(instance.ctx, ada, { name: 'Many' })
    const content = 'x'.repeat(20_000)
    const sessions = 40
    for (let n = 0; n < sessions; n++)
      await storeSession(instance.ctx.db, {
        id: newId(),
        workspaceId: ada.workspaceId,
        agentId: many.id,
        messages: Array.from({ length: 60 }, () => ({ role: 'user', at: 5000 + (n % 7), content })),
      })
    const seen: string[] = []
    let longest = 0
    let rest = ''
    const wanted = { appId: many.id, format: 'jsonl' } as const
    for await (const piece of await exportConversations(instance.ctx, ada.workspaceId, wanted)) {
      longest = Math.max(longest, piece.length)
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { begun_at, session_id, seq } = JSON.parse(line) as Record<string, string | number>
        seen.push(`${begun_at} ${session_id} ${String(seq).padStart(3, '0')}`)
      }
    }
    expect(rest).toBe('')
    expect(seen).toHaveLength(sessions * 60)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(seen.toSorted())
    // Of 48 MB.
    expect(longest).toBeLessThan(1_000_000)
  })

  test('ends while messages keep arriving, and contains none stored after it began', async () => {
    const { db, clock } = instance.ctx
    const busy = await createAgent(instance.ctx, ada, { name: 'Busy' })
    const place = { workspaceId: ada.workspaceId, agentId: busy.id }
    // More than a page, so that the export reads again after the first new messages.
    const many = (at: number): MessageInput[] =>
      Array.from({ length: 600 }, () => ({ role: 'user', at }))
    const began = clock.now()
    let stored = 600
    const { id } = await storeSession(db, { ...place, messages: many(began) })
    const wanted = { appId: busy.id, format: 'jsonl' } as const
    let text = ''
    let pieces = 0
    for await (const piece of await exportConversations(instance.ctx, ada.workspaceId, wanted)) {
      text += piece
      pieces += 1
      if (pieces > 4) break
      await storeMessages(db, id, stored, many(began + 1))
      await storeSession(db, { ...place, messages: many(began + 1) })
      stored += 600
    }
    expect(text.trimEnd().split('\n')).toHaveLength(600)
    expect(pieces).toBeGreaterThan(1)
  })
})
