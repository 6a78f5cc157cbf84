import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '#config'
import { startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const withheld = 'This answer cannot be shown.'

describeVisitors('a moderation hook that answers after its time', (open) => {
  let service: VisitorService
  let hook: ActionServer
  /** The stage at which it answers only when nobody listens any more. */
  let slowAt: 'message' | 'answer'
  /** What it then says: the opposite of what the page decides without it. */
  let lateSays: boolean

  beforeAll(async () => {
    hook = await startActionServer(async (response, { body, aborted }) => {
      const { stage } = JSON.parse(body) as { stage: string }
      const isLate = stage === slowAt
      if (isLate) await aborted
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ allow: isLate ? lateSays : true }))
    })
    service = await open({
      model: { reply: ['The secret ', 'recipe is 42.'] },
      environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1', MODERATION_TIMEOUT_MS: '1000' },
      page: { moderation_url: hook.origin, moderate_answers: true },
    })
  })

  const send = async (fails: 'open' | 'closed', stage: typeof slowAt) => {
    slowAt = stage
    lateSays = fails === 'closed'
    await service.change({ moderation_fails: fails })
    const { token } = await service.visit()
    const response = await service.ask(token, '/messages', { text: 'What is the recipe?' })
    const text = await response.text()
    return [response.status, text] as const
  }

  test('lets messages and answers pass if the page fails open', async () => {
    for (const stage of ['message', 'answer'] as const) {
      const [status, text] = await send('open', stage)
      expect([stage, status]).toEqual([stage, 200])
      expect(text).toContain('The secret recipe is 42.')
    }
  })

  test('refuses a message, and withholds an answer with a sentence, if it fails closed', async () => {
    const asked = service.model.requests.length
    const [status, text] = await send('closed', 'message')
    expect([status, JSON.parse(text)]).toEqual([403, { error: { code: 'message_refused' } }])
    expect(service.model.requests).toHaveLength(asked)
    const [answered, stream] = await send('closed', 'answer')
    expect(answered).toBe(200)
    expect(stream).toContain(withheld)
    expect(stream).not.toContain('recipe is')
    const stored = await service.ctx.db.read.selectFrom('chat_messages').select('content').execute()
    expect(stored.map(({ content }) => content)).toContain(withheld)
  })
})

test('a moderation hook has five seconds, unless the operator chooses another time', () => {
  expect(readConfig({}).moderationTimeoutMs).toBe(5000)
  expect(readConfig({ MODERATION_TIMEOUT_MS: '250' }).moderationTimeoutMs).toBe(250)
})
