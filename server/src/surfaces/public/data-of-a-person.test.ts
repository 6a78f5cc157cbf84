import { SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { exportConversations } from '#features/conversations/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { textsOf } from '#test/security/planted-secrets.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { actorOf } from '#test/support/test-instance.ts'
import {
  describeVisitors,
  eventsOf,
  type VisitorService,
} from '#test/support/chat/visitor-service.ts'
import { languageOf } from './texts/texts.ts'

const site = 'https://shop.example'
const grace = { sub: 'grace@mail.example', name: 'Grace Zebra', email: 'g.zebra@mail.example' }
const ada = { sub: 'ada@mail.example', name: 'Ada Yak', email: 'a.yak@mail.example' }
const file = (text: string) => ({
  name: 'note.md',
  data: `data:text/markdown;base64,${Buffer.from(text).toString('base64')}`,
})

describeVisitors('what an identified visitor leaves', (open) => {
  let service: VisitorService
  let visitPath: string
  let secret: string

  beforeAll(async () => {
    const api = await startActionServer(json({ canceled: true }))
    const cancelling = (user: string) => ({
      reply: '',
      toolCalls: [{ name: 'cancel', arguments: { user } }],
    })
    service = await open({
      model: {
        script: ({ body }) => {
          const asked = /Cancel my order, I am ([^"]*)"\}\]$/.exec(JSON.stringify(body.messages))
          return asked === null ? { reply: 'It costs ten euros [1].' } : cancelling(asked[1] ?? '')
        },
      },
      environment: { DEFAULT_MODEL: 'openai/gpt-4o', OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
      page: { widget_origins: [site], visitor_files: true },
    })
    await call('add_knowledge_source', {
      title: 'Price list',
      text: 'The lamp costs ten euros.',
    })
    await createAction(service.ctx, service.owner.workspaceId, service.agent.id, {
      name: 'cancel',
      title: 'Cancel order',
      description: 'Cancels an order',
      method: 'POST',
      url: api.origin,
      requires_confirmation: true,
      parameters: [{ in: 'body', key: 'user', type: 'string', required: true }],
    })
    const { widget_key } = await call('get_chat_page', {})
    visitPath = `/chat/widget/${String(widget_key)}/visit`
    secret = String((await call('rotate_identity_secret', {})).secret)
  })

  const call = (name: string, input: object) =>
    runOperation(service.ctx, actorOf(service.owner), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })

  /** Asks with a file, rates the answer, and confirms an action. */
  async function chat(claims: typeof grace): Promise<void> {
    const exp = Math.floor(service.ctx.clock.now() / 1000) + 300
    const identity = await new SignJWT({ ...claims, exp })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret))
    const entered = await service.request(visitPath, {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
      body: JSON.stringify({ identity }),
    })
    const { token } = (await entered.json()) as { token: string }
    const question = { text: 'What does the lamp cost?', files: [file(`Of ${claims.name}.`)] }
    const [start] = eventsOf(await (await service.ask(token, '/messages', question)).text())
    const { conversation_id, message_id } = start ?? {}
    const rating = { conversation_id, message_id, rating: 'up', comment: `By ${claims.name}` }
    expect((await service.ask(token, '/ratings', rating)).status).toBe(200)
    const wish = `Cancel my order, I am ${claims.email}`
    expect((await service.say(token, wish, conversation_id)).at(-1)?.confirm).toHaveLength(1)
    await service.say(token, languageOf('en').texts.yes, conversation_id)
  }

  const found = async (claims: typeof grace) => {
    const texts = await textsOf(service.ctx.db)
    const marks = Object.values(claims)
    return new Set(
      texts.filter(({ text }) => marks.some((mark) => text.includes(mark))).map(({ at }) => at),
    )
  }

  const exported = async (endUser: string) => {
    const wanted = { appId: service.agent.id, format: 'jsonl', endUser } as const
    let text = ''
    const { workspaceId } = service.owner
    for await (const piece of await exportConversations(service.ctx, workspaceId, wanted))
      text += piece
    return text
  }

  test('is exported whole, without anything of others', async () => {
    await chat(grace)
    await chat(ada)
    const text = await exported(grace.sub)
    const lines = text.trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(records).toMatchObject([
      { role: 'user', end_user: grace.sub, citations: null, action_calls: null },
      { citations: [{ title: 'Price list' }], rating: 'up', comment: 'By Grace Zebra' },
      { role: 'user', content: `Cancel my order, I am ${grace.email}` },
      { action_calls: [{ name: 'cancel', arguments: { user: grace.email }, status: 'done' }] },
      { role: 'user', content: languageOf('en').texts.yes },
      { role: 'assistant' },
    ])
    expect(JSON.stringify(records[0]?.parts)).toContain('Of Grace Zebra.')
    expect(JSON.stringify(records[3]?.action_calls)).toContain('canceled')
    expect(text).not.toContain('Yak')
    expect(await exported('nobody')).toBe('')
  })

  test('is erased to the last row, those that count for limits among them', async () => {
    await chat(grace)
    await chat(ada)
    expect((await found(grace)).size).toBeGreaterThan(4)
    await call('erase_end_user', { end_user: grace.sub })
    expect(await found(grace)).toEqual(new Set())
    expect(await found(ada)).toContain('chat_sessions.end_user')
    expect(await found(ada)).not.toContain('rate_limits.key')
  })
})
