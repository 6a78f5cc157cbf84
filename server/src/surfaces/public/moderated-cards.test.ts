import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

describeVisitors('the card of an action, on a page that checks its answers', (open) => {
  let service: VisitorService
  let api: Awaited<ReturnType<typeof startActionServer>>

  beforeAll(async () => {
    api = await startActionServer(json({ sent: true }))
    service = await open({
      model: {
        script: ({ body }) => {
          const last = /"content":"(send [^"]*)"\}\]$/.exec(JSON.stringify(body.messages))?.[1]
          return last === undefined
            ? { reply: 'Well.' }
            : { reply: '', toolCalls: [{ name: 'send', arguments: { note: `A\n${last}` } }] }
        },
      },
      environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
    })
    await createAction(service.ctx, service.owner.workspaceId, service.agent.id, {
      name: 'send',
      title: 'Send a note',
      description: 'Sends a note',
      method: 'POST',
      url: api.origin,
      requires_confirmation: true,
      parameters: [{ in: 'body', key: 'note', type: 'string', required: true }],
    })
  })
  beforeEach(() => service.change({ blocked_words: ['gadget'], moderate_answers: true }))

  const cardsOf = async (text: string) => {
    const { token } = await service.visit()
    const events = await service.say(token, text)
    const id = events[0]?.conversation_id ?? ''
    const stored = await (await service.ask(token, `/conversations/${id}`)).json()
    return [events.at(-1)?.confirm, (stored as { confirm: unknown }).confirm]
  }

  test('is shown with words that may be shown', async () => {
    const card = { title: 'Send a note', arguments: { note: 'A\nsend flowers' } }
    expect(await cardsOf('send flowers')).toEqual([[card], [card]])
  })

  test('is not shown if the model wrote a word into it that may not be shown, not even later', async () => {
    await service.change({ blocked_words: ['send'] })
    // The message itself contains the word, so only answers are checked here.
    const { token } = await service.visit()
    expect((await service.ask(token, '/messages', { text: 'send flowers' })).status).toBe(403)
    await service.change({ blocked_words: ['a'] })
    expect(await cardsOf('send flowers')).toEqual([[], []])
  })

  test('cannot be confirmed if it was not shown, nor if what the agent said was replaced', async () => {
    const before = api.requests.length
    for (const word of ['a', 'reply']) {
      await service.change({ blocked_words: [word] })
      const { token } = await service.visit()
      const events = await service.say(token, 'send flowers')
      expect(events.at(-1)?.confirm).toEqual([])
      await service.change({ blocked_words: [] })
      const answer = await service.say(token, 'yes', events[0]?.conversation_id)
      expect(answer.at(-1)).toMatchObject({ type: 'done' })
    }
    expect(api.requests).toHaveLength(before)
    // The word is in the question, not on the card.
    await service.change({ blocked_words: [] })
    const { token } = await service.visit()
    const [begun] = await service.say(token, 'send flowers')
    await service.say(token, 'yes', begun?.conversation_id)
    expect(api.requests).toHaveLength(before + 1)
  })
})
