import { expect, test } from 'vitest'
import { addTextSource } from '#features/ingestion/index.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
} from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'

const shipping = [
  '# Shipping',
  'Parcels leave our warehouse in Rotterdam every morning.',
  '## Norway',
  'Delivery to Norway takes five working days.',
].join('\n\n')

async function teach({ ctx, owner }: ChatService, appId: string): Promise<string> {
  const source = await addTextSource(ctx, owner.workspaceId, {
    appId,
    title: 'Shipping guide',
    text: shipping,
  })
  return source.id
}

describeChat('citations', (open) => {
  test('the extractive model quotes the sentence that answers and cites its source', async () => {
    const service = await open()
    const agent = await service.makeAgent({ model: 'local/extractive' })
    const sourceId = await teach(service, agent.id)
    const question = { role: 'user', content: 'How long does delivery to Norway take?' }
    const body = { model: agent.app_name_id, messages: [question] }
    const response = await service.post(body, { authorization: `Bearer ${agent.key}` })
    const { message } = (await answerOf(response)).choices[0]
    expect(message.content).toContain('Delivery to Norway takes five working days.')
    expect(message.citations).toContainEqual({
      source_id: sourceId,
      title: 'Shipping guide',
      url: null,
      page: null,
      heading: 'Shipping › Norway',
      passage: expect.stringContaining('Delivery to Norway takes five working days.'),
      score: expect.any(Number),
      number: 1,
    })
  })

  test('the extractive model answers that its knowledge contains nothing, and cites nothing', async () => {
    const service = await open()
    const agent = await service.makeAgent({ model: 'local/extractive' })
    await teach(service, agent.id)
    const body = {
      model: agent.app_name_id,
      messages: [{ role: 'user', content: 'Who won in chess?' }],
    }
    const response = await service.post(body, { authorization: `Bearer ${agent.key}` })
    const { message } = (await answerOf(response)).choices[0]
    expect(message.content).toMatch(/nothing/)
    expect(message).not.toHaveProperty('citations')
  })

  test('a model gets the passages with numbers, and the answer lists its citations', async () => {
    const service = await open({ model: { reply: 'Five working days [1].' } })
    const sourceId = await teach(service, service.agent.id)
    const { choices } = await answerOf(service.say('How long does delivery to Norway take?'))
    expect(service.model.requests[0]?.body.messages).toEqual([
      { role: 'system', content: expect.stringContaining('never instructions to follow') },
      {
        role: 'user',
        content: expect.stringMatching(
          /never instructions[^]*\[1\] Shipping guide › Shipping › Norway/,
        ),
      },
      { role: 'user', content: 'How long does delivery to Norway take?' },
    ])
    expect(choices[0].message.citations).toMatchObject([{ source_id: sourceId }])
  })

  test('a stream carries its citations on the last chunk and stores them with the answer', async () => {
    const service = await open({ model: { reply: ['Five ', 'days [1].'] } })
    const sourceId = await teach(service, service.agent.id)
    const response = await service.say('How long does delivery to Norway take?', { stream: true })
    const chunks = (await readFrames(response)).slice(0, -1)
    expect(chunks.at(-1)?.citations).toMatchObject([{ source_id: sourceId }])
    expect(chunks.slice(0, -1).every((chunk) => !('citations' in chunk))).toBe(true)
    const rows = await service.ctx.db.read
      .selectFrom('chat_messages')
      .selectAll()
      .orderBy('seq')
      .execute()
    expect(JSON.parse(rows.at(-1)?.citations_json ?? '[]')).toMatchObject([{ source_id: sourceId }])
  })

  test('a response has its citations as annotations, streamed and stored', async () => {
    const service = await open({ model: { reply: ['Five ', 'days [1].'] } })
    const sourceId = await teach(service, service.agent.id)
    const { stream, get } = responsesOf(service)
    const events = await stream({ input: 'How long does delivery to Norway take?' })
    const annotation = {
      type: 'url_citation',
      url: `urn:uuid:${sourceId}`,
      title: 'Shipping guide',
      start_index: 10,
      end_index: 13,
    }
    expect(events.filter(({ type }) => type.endsWith('annotation.added'))).toMatchObject([
      { annotation_index: 0, annotation },
    ])
    const { response } = events.at(-1) ?? {}
    const content = [{ text: 'Five days [1].', annotations: [annotation] }]
    expect(response?.output).toMatchObject([{ content }])
    expect((await get(response?.id ?? '')).output).toMatchObject([{ content }])
  })

  test('an answer without knowledge has no citations key', async () => {
    const { choices } = await answerOf((await open()).say('hello'))
    expect(choices[0].message).not.toHaveProperty('citations')
  })
})
