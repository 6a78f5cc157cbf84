import { expect, test } from 'vitest'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { insertResponse } from './response-store.ts'
import { beginRun, endRun, findRun, insertRun } from './run-store.ts'
import { TextRecorder } from './text-recorder.ts'

describeInstance('a background run that lost its job', (open) => {
  test('neither begins, writes nor ends in place of the run that replaced it', async () => {
    const { ctx } = await open()
    const { db } = ctx
    const { id: sessionId } = await storeSession(db, {
      workspaceId: 'w',
      agentId: 'a',
      messages: [{ role: 'user', at: 1 }],
    })
    const row = {
      id: 'r',
      workspace_id: 'w',
      agent_id: 'a',
      session_id: sessionId,
      message_id: null,
      first_seq: 1,
      request_json: '{}',
      status: 'queued' as const,
      error_code: null,
      created_at: 1,
    }
    await db.write(async (tx) => {
      await insertResponse(tx, row)
      await insertRun(tx, row, '{}')
    })
    const rest = () => '{}'
    const begin = (messageId: string, before: string | null) =>
      db.write((tx) => beginRun(tx, 'r', { sessionId, messageId, firstSeq: 1, before, rest }))
    expect(await begin('lost', null)).toBe(true)
    expect(await begin('current', 'lost')).toBe(true)
    expect(await begin('late', 'lost')).toBe(false)
    const ended: string[] = []
    const recorders = ['lost', 'current', 'current'].map((messageId) => {
      const recorder = new TextRecorder(ctx, { id: 'r', sessionId, messageId }, () =>
        ended.push(messageId),
      )
      recorder.add(messageId)
      return recorder
    })
    for (const recorder of recorders) await recorder.end()
    expect(ended).toEqual(['lost'])
    const texts = await db.read.selectFrom('response_texts').select(['n', 'content']).execute()
    expect(texts).toEqual([
      { n: 0, content: 'current' },
      { n: 1, content: 'current' },
    ])
    const end = (messageId: string) =>
      db.write((tx) => endRun(tx, 'r', { status: 'ended', errorCode: null, messageId }))
    expect(await end('lost')).toBe(false)
    expect(await findRun(db.read, 'r')).toMatchObject({ status: 'running', message_id: 'current' })
    expect(await end('current')).toBe(true)
    expect(await findRun(db.read, 'r')).toBeUndefined()
  })
})
