import { beforeAll, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { json, startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'
import { languageCodes, languageOf } from './texts/texts.ts'

describeVisitors('an action that a visitor must confirm', (open) => {
  let service: VisitorService
  let api: ActionServer

  beforeAll(async () => {
    api = await startActionServer(json({ canceled: true }))
    const cancelling = { reply: '', toolCalls: [{ name: 'cancel', arguments: { order_id: 42 } }] }
    service = await open({
      model: {
        script: ({ body }) =>
          JSON.stringify(body.messages).endsWith('"Cancel my order"}]')
            ? cancelling
            : { reply: 'Well.' },
      },
      environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1', VISITOR_ADDRESS_RATE_LIMIT: 'unlimited' },
    })
    await createAction(service.ctx, service.owner.workspaceId, service.agent.id, {
      name: 'cancel',
      title: 'Cancel order',
      description: 'Cancels an order',
      method: 'POST',
      url: api.origin,
      requires_confirmation: true,
      parameters: [{ in: 'body', key: 'order_id', type: 'integer', required: true }],
    })
  })

  test.each(languageCodes)(
    'is made by the button of %s that agrees, not by the other',
    async (code) => {
      const { texts } = languageOf(code)
      for (const [word, calls] of [
        [texts.no, 0],
        [texts.yes, 1],
      ] as const) {
        api.requests.length = 0
        const { token } = await service.visit()
        const asked = await service.say(token, 'Cancel my order')
        const id = asked[0]?.conversation_id ?? ''
        const confirm = [{ title: 'Cancel order', arguments: { order_id: 42 } }]
        expect(asked.at(-1)).toMatchObject({ type: 'done', confirm })
        // A page that is loaded again shows the card again.
        const shown = await (await service.ask(token, `/conversations/${id}`)).json()
        expect(shown).toMatchObject({ confirm })
        await service.say(token, word, id)
        expect(api.requests).toHaveLength(calls)
      }
    },
  )
})
