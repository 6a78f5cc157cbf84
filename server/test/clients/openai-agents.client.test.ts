import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI, { NotFoundError } from 'openai'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

setTracingDisabled(true)

const words = ['Hel', 'lo ', 'wörld']
const shows = showsFor('OpenAI Agents SDK for JavaScript')

describeChat('the OpenAI Agents SDK, unmodified', (open) => {
  async function setUp(script: (n: number) => ModelScript = () => ({ reply: words })) {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const own = await service.makeAgent({ model: 'openai/gpt-4o' })
    const client = new OpenAI({ baseURL: await service.listen(), apiKey: own.key, maxRetries: 0 })
    const modelOf = (name: string) => new OpenAIResponsesModel(client, name)
    return { service, client, modelOf, model: modelOf(own.app_name_id) }
  }

  shows(['answer', 'streaming'], 'runs an agent, streamed and not', async () => {
    const { model } = await setUp()
    const agent = new Agent({ name: 'Helper', model })
    expect((await run(agent, 'hello')).finalOutput).toBe('Hello wörld')
    const result = await run(agent, 'hello', { stream: true })
    let text = ''
    for await (const piece of result.toTextStream()) text += piece
    await result.completed
    expect(text).toBe('Hello wörld')
  })

  shows(['tools'], 'runs a function tool', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { model } = await setUp((n) =>
      n === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' },
    )
    const words: string[] = []
    const lookUp = tool({
      name: 'look_up',
      description: 'Looks a word up',
      parameters: z.object({ word: z.string() }),
      execute: async ({ word }) => {
        words.push(word)
        return 'hot'
      },
    })
    const agent = new Agent({ name: 'Helper', model, tools: [lookUp] })
    expect((await run(agent, 'What is tea?')).finalOutput).toBe('A drink.')
    expect(words).toEqual(['tea'])
  })

  shows(['reasoning'], 'shows reasoning, and sends it back with the result of a tool', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { model } = await setUp((n) =>
      n % 2 === 0
        ? { reply: '', toolCalls, reasoning: 'I look it up.' }
        : { reply: 'A drink.', reasoning: 'I know.' },
    )
    const parameters = z.object({ word: z.string() })
    const execute = async () => 'hot'
    const lookUp = tool({ name: 'look_up', description: 'Looks up', parameters, execute })
    const agent = new Agent({ name: 'Helper', model, tools: [lookUp] })
    const streamed = await run(agent, 'What is tea?', { stream: true })
    await streamed.completed
    for (const result of [await run(agent, 'What is tea?'), streamed]) {
      expect(result.finalOutput).toBe('A drink.')
      const thoughts = result.newItems.flatMap((item) =>
        item.type === 'reasoning_item' ? item.rawItem.content.map(({ text }) => text) : [],
      )
      expect(thoughts).toEqual(['I look it up.', 'I know.'])
    }
  })

  shows(['structured output'], 'returns an object of an output type', async () => {
    const { model } = await setUp(() => ({ reply: '{"city":"Bern"}' }))
    const agent = new Agent({ name: 'Helper', model, outputType: z.object({ city: z.string() }) })
    expect((await run(agent, 'Where?')).finalOutput).toEqual({ city: 'Bern' })
  })

  shows(['conversation'], 'continues by response id and by conversation', async () => {
    const { model, client, service } = await setUp()
    const agent = new Agent({ name: 'Helper', model })
    const { lastResponseId: previousResponseId } = await run(agent, 'hello')
    if (previousResponseId === undefined) throw new Error('no id')
    await run(agent, 'again', { previousResponseId })
    expect(service.model.requests[1]?.body.messages).toHaveLength(3)
    const { id: conversationId } = await client.conversations.create({})
    for (const text of ['one', 'two']) await run(agent, text, { conversationId })
    expect(service.model.requests[3]?.body.messages).toHaveLength(3)
  })

  shows(['images'], 'sends an image', async () => {
    const { model, service } = await setUp()
    const image = 'data:image/png;base64,iVBORw0KGgo='
    const content = [{ type: 'input_image' as const, image }]
    await run(new Agent({ name: 'Helper', model }), [{ role: 'user', content }])
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(image)
  })

  shows(['files'], 'sends a PDF', async () => {
    const { model, service } = await setUp()
    const data = Buffer.from(makePdf(['The door is green.'])).toString('base64')
    const file = `data:application/pdf;base64,${data}`
    const content = [{ type: 'input_file' as const, file, filename: 'a.pdf' }]
    await run(new Agent({ name: 'Helper', model }), [{ role: 'user', content }])
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('The door is green.')
  })

  shows(['abort'], 'aborting a run ends the model call', async () => {
    const { model, service } = await setUp(() => slowAnswer)
    const stop = new AbortController()
    const agent = new Agent({ name: 'Helper', model })
    const result = await run(agent, 'hello', { stream: true, signal: stop.signal })
    const { aborted } = await service.model.request(0)
    stop.abort()
    await aborted
    await result.completed.catch(() => undefined)
  })

  shows(['errors'], 'throws the error of its client', async () => {
    const { modelOf } = await setUp()
    const agent = new Agent({ name: 'Helper', model: modelOf('nobody-1') })
    await expect(run(agent, 'hello')).rejects.toThrow(NotFoundError)
  })
})
