import { beforeAll, beforeEach, expect, test } from 'vitest'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

describeVisitors('the sources of an answer, on a page that checks its answers', (open) => {
  let service: VisitorService
  let hook: ActionServer
  let allows: (text: string) => boolean

  beforeAll(async () => {
    hook = await startActionServer((response, { body }) => {
      const { text } = JSON.parse(body) as { text: string }
      response.writeHead(200).end(JSON.stringify({ allow: allows(text) }))
    })
    service = await open({
      model: { reply: 'It costs ten euros [1].' },
      environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
    })
    await runOperation(
      service.ctx,
      actorOf(service.owner),
      findOperation('add_knowledge_source')!,
      {
        app_id: service.agent.id,
        title: 'Price list',
        text: 'The lamp costs ten euros. The margin is forty percent.',
      },
    )
  })
  beforeEach(() => {
    hook.requests.length = 0
    return service.change({ blocked_words: [], moderation_url: '', moderate_answers: true })
  })

  /** @param meanwhile happens between the answer and reading the conversation again */
  const sourcesOf = async (meanwhile: () => Promise<void> = () => Promise.resolve()) => {
    const { token } = await service.visit()
    const events = await service.say(token, 'What does the lamp cost?')
    const id = events[0]?.conversation_id ?? ''
    await meanwhile()
    const stored = (await (await service.ask(token, `/conversations/${id}`)).json()) as {
      messages: { text: string; citations: { title: string }[] }[]
    }
    const { citations = [] } = events.at(-1) as { citations?: readonly { title: string }[] }
    const last = stored.messages.at(-1)
    const titles = [citations, last?.citations ?? []].map((all) => all.map(({ title }) => title))
    return { text: last?.text, titles }
  }
  const text = 'It costs ten euros [1].'

  test('are shown and stored with words that may be shown', async () => {
    await service.change({ blocked_words: ['gadget'] })
    expect(await sourcesOf()).toEqual({ text, titles: [['Price list'], ['Price list']] })
  })

  test.each(['margin', 'price list'])(
    'are left out if one contains a listed word, and the answer is shown: %s',
    async (word) => {
      await service.change({ blocked_words: [word] })
      expect(await sourcesOf()).toEqual({ text, titles: [[], []] })
    },
  )

  test('are left out if the hook refuses them', async () => {
    allows = (asked) => !asked.includes('margin')
    await service.change({ moderation_url: hook.origin })
    expect(await sourcesOf()).toEqual({ text, titles: [[], []] })
    // The message, the answer, its sources: each once.
    expect(hook.requests).toHaveLength(3)
  })

  test('stay in the conversation of a visitor who has seen them, whatever is refused later', async () => {
    allows = () => false
    const refuse = () =>
      service.change({ blocked_words: ['margin', 'euros'], moderation_url: hook.origin })
    expect(await sourcesOf(refuse)).toEqual({ text, titles: [['Price list'], ['Price list']] })
    expect(hook.requests).toEqual([])
  })

  test('are not checked if answers are not', async () => {
    await service.change({ blocked_words: ['margin'], moderate_answers: false })
    expect((await sourcesOf()).titles).toEqual([['Price list'], ['Price list']])
  })
})
