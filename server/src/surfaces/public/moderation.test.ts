import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { getConversation } from '#features/conversations/index.ts'
import { rotateIdentitySecret } from '#features/visitors/index.ts'
import { startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

/** In the place of a status: the hook closes the connection. */
const lost = 0
const thought = 'They must not know that it is 42.'

describeVisitors('moderation of a chat page', (open) => {
  let service: VisitorService
  let hook: ActionServer
  let token: string
  /** What the hook answers to a text. */
  let decide: (text: string, stage: string) => { status?: number; body: string }

  beforeAll(async () => {
    hook = await startActionServer((response, { body }) => {
      const { text, stage } = JSON.parse(body) as { text: string; stage: string }
      const { status = 200, body: answer } = decide(text, stage)
      if (status === lost) response.destroy()
      else response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
    })
    service = await open({
      model: { script: () => ({ reply: ['The secret ', 'recipe is 42.'], reasoning: thought }) },
      environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1', VISITOR_ADDRESS_RATE_LIMIT: 'unlimited' },
    })
  })
  beforeEach(async () => {
    hook.requests.length = 0
    decide = () => ({ body: '{"allow":true}' })
    await service.change({
      blocked_words: [],
      moderation_url: '',
      moderation_fails: 'closed',
      moderate_answers: false,
    })
    ;({ token } = await service.visit())
  })

  const send = async (text: string) => {
    const response = await service.ask(token, '/messages', { text })
    const body = await response.text()
    return response.ok ? response.status : [response.status, JSON.parse(body)]
  }
  const refused = [403, { error: { code: 'message_refused' } }]
  const shown = async () => {
    const events = await service.say(token, 'What is the recipe?')
    const id = events[0]?.conversation_id ?? ''
    const stored = (await (await service.ask(token, `/conversations/${id}`)).json()) as {
      messages: { text: string }[]
    }
    const texts = events.flatMap(({ text = [] }) => text)
    return { texts, stored: stored.messages[1]?.text }
  }

  test('refuses messages with a listed word or phrase, whole and in any case, before the model', async () => {
    await service.change({ blocked_words: ['ass', 'bad phrase', '禁止'] })
    const asked = service.model.requests.length
    for (const text of ['ASS!', 'a bad,  Phrase', 'ａｓｓ', '这是禁止的'])
      expect(await send(text)).toEqual(refused)
    expect(service.model.requests).toHaveLength(asked)
    for (const text of ['class', 'a bad other phrase']) expect(await send(text)).toBe(200)
  })

  test('asks the hook before the model, and before the answer is shown', async () => {
    await service.change({ moderation_url: hook.origin, moderate_answers: true })
    decide = (text) => ({ body: JSON.stringify({ allow: !/42|weapon/.test(text) }) })
    const asked = service.model.requests.length
    expect(await send('weapon')).toEqual(refused)
    expect(service.model.requests).toHaveLength(asked)
    const withheld = 'This answer cannot be shown.'
    expect(await shown()).toEqual({ texts: [withheld], stored: withheld })
    expect(hook.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
      { stage: 'message', text: 'weapon', app: service.agent.appNameId },
      { stage: 'message', text: 'What is the recipe?' },
      { stage: 'answer', text: 'The secret recipe is 42.' },
    ])
    decide = () => ({ body: '{"allow":true}' })
    const whole = 'The secret recipe is 42.'
    expect(await shown()).toEqual({ texts: [whole], stored: whole })
  })

  test('asks the hook about the text of documents, of long ones about the beginning', async () => {
    await service.change({ moderation_url: hook.origin, visitor_files: true })
    decide = (text) => ({ body: JSON.stringify({ allow: !text.includes('weapon') }) })
    const attach = async (text: string) => {
      const data = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`
      const files = [{ name: 'note.txt', data }]
      return (await service.ask(token, '/messages', { text: 'Look', files })).status
    }
    const asked = service.model.requests.length
    expect(await attach('How to build a weapon.')).toBe(403)
    expect(service.model.requests).toHaveLength(asked)
    expect(await attach('A long note. '.repeat(10_000))).toBe(200)
    const texts = hook.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text)
    expect(texts).toHaveLength(4)
    expect(texts[0]).toBe('Look\nnote.txt')
    expect(texts[1]).toContain('How to build a weapon.')
    expect(texts[3]).toHaveLength(64_000)
    await service.change({ visitor_files: false })
  })

  test.for([
    { allow: true, kept: [thought] },
    { allow: false, kept: [] },
  ])(
    'keeps the reasoning of an answer only if the hook allows it: $allow',
    async ({ allow, kept }) => {
      const { ctx, owner, agent } = service
      await updateAgent(ctx, owner, agent.id, { store_reasoning: true })
      await service.change({ moderation_url: hook.origin, moderate_answers: true })
      decide = (_, stage) => ({ body: JSON.stringify({ allow: stage === 'message' || allow }) })
      const events = await service.say(token, 'What is the recipe?')
      await updateAgent(ctx, owner, agent.id, { store_reasoning: false })
      const id = events[0]?.conversation_id ?? ''
      const { messages } = await getConversation(ctx, owner.workspaceId, id, { limit: 9 })
      const stored = messages.items.flatMap(({ reasoning }) => reasoning ?? [])
      expect(stored).toEqual(kept)
    },
  )

  test('signs what it asks with a secret that is derived from the identity secret', async () => {
    await service.change({ moderation_url: hook.origin })
    await send('hello')
    expect(hook.requests[0]?.headers).not.toHaveProperty('parley-signature')
    const { ctx, owner, agent } = service
    const made = await rotateIdentitySecret(ctx, owner.workspaceId, agent.id)
    await send('hello')
    const { headers, body } = hook.requests[1]!
    const time = Math.floor(ctx.clock.now() / 1000)
    const mac = createHmac('sha256', made.moderationSecret).update(`${time}.${body}`).digest('hex')
    expect(headers['parley-signature']).toBe(`t=${time},v1=${mac}`)
    // As the documentation says, for those who have only kept the identity secret.
    const derived = createHmac('sha256', made.secret).update('moderation').digest('base64url')
    expect(made.moderationSecret).toBe(`pms_${derived}`)
  })

  test('lets answers stream unless they are checked', async () => {
    await service.change({ moderation_url: hook.origin })
    expect((await shown()).texts.join('')).toBe('The secret recipe is 42.')
    expect(hook.requests).toHaveLength(1)
  })

  test.each([
    { name: 'an error', answer: { status: 500, body: '{"allow":true}' } },
    { name: 'no decision', answer: { body: '{"allow":"yes"}' } },
    { name: 'no JSON', answer: { body: '<html>' } },
    { name: 'a lost connection', answer: { status: lost, body: '' } },
  ])('fails open or closed after $name, as the page says', async ({ answer }) => {
    decide = () => answer
    await service.change({ moderation_url: hook.origin })
    expect(await send('hello')).toEqual(refused)
    await service.change({ moderation_fails: 'open' })
    expect(await send('hello')).toBe(200)
  })

  test('fails open or closed after the model, too', async () => {
    decide = (_, stage) =>
      stage === 'answer' ? { status: 500, body: '' } : { body: '{"allow":true}' }
    const settings = { moderation_url: hook.origin, moderate_answers: true }
    await service.change(settings)
    const withheld = 'This answer cannot be shown.'
    expect(await shown()).toEqual({ texts: [withheld], stored: withheld })
    await service.change({ ...settings, moderation_fails: 'open' })
    const whole = 'The secret recipe is 42.'
    expect(await shown()).toEqual({ texts: [whole], stored: whole })
  })

  test('withholds an answer with a listed word', async () => {
    await service.change({ blocked_words: ['secret recipe'], moderate_answers: true })
    const withheld = 'This answer cannot be shown.'
    expect(await shown()).toEqual({ texts: [withheld], stored: withheld })
  })

  test('asks no hook at a private address that the operator does not allow', async () => {
    await service.change({ moderation_url: 'http://10.0.0.1/hook' })
    expect(await send('hello')).toEqual(refused)
  })
})
