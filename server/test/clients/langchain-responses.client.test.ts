import { ChatOpenAI } from '@langchain/openai'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelServerOptions } from '#test/support/servers/model-server.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('LangChain, `ChatOpenAI` with `useResponsesApi`')

describeChat('LangChain’s ChatOpenAI over responses, unmodified', (open) => {
  async function setUp(scripted: ModelServerOptions = { reply: ['Hel', 'lo ', 'wörld'] }) {
    const service = await open({ model: scripted })
    const configuration = { baseURL: await service.listen() }
    const { agent } = service
    const chat = (model = agent.app_name_id, apiKey = service.key) =>
      new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0, useResponsesApi: true })
    return { service, chat }
  }

  shows(['answer'], 'invoke returns text and usage', async () => {
    const { chat } = await setUp()
    const answer = await chat().invoke('hello')
    expect(answer.text).toBe('Hello wörld')
    expect(answer.response_metadata.id).toMatch(/^resp_/)
    expect(answer.usage_metadata).toMatchObject({ total_tokens: 14 })
  })

  shows(['streaming'], 'stream returns the pieces', async () => {
    const { chat } = await setUp()
    const pieces: string[] = []
    for await (const { text } of await chat().stream('hello')) if (text !== '') pieces.push(text)
    expect(pieces).toEqual(['Hel', 'lo ', 'wörld'])
  })

  shows(['tools'], 'bindTools returns a call, and its result is continued', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { chat } = await setUp({
      script: (_, n) => (n === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' }),
    })
    const parameters = { type: 'object', properties: {} }
    const bound = chat().bindTools([
      { type: 'function', function: { name: 'look_up', parameters } },
    ])
    const first = await bound.invoke('What is tea?')
    expect(first.tool_calls).toMatchObject([{ name: 'look_up', args: { word: 'tea' } }])
    const result = { role: 'tool', content: 'hot', tool_call_id: first.tool_calls?.[0]?.id ?? '' }
    const last = await bound.invoke([{ role: 'user', content: 'What is tea?' }, first, result])
    expect(last.text).toBe('A drink.')
  })

  shows(['structured output'], 'withStructuredOutput returns an object', async () => {
    const { chat } = await setUp({ reply: '{"city":"Bern"}' })
    const place = z.object({ city: z.string() })
    const asked = chat().withStructuredOutput(place, { method: 'jsonSchema' })
    expect(await asked.invoke('Where?')).toEqual({ city: 'Bern' })
  })

  shows(['images'], 'an image reaches the model', async () => {
    const { chat, service } = await setUp()
    const seeing = await service.makeAgent({ model: 'openai/gpt-4o' })
    const image = { type: 'image_url', image_url: { url: pixelUrl } }
    const content = [{ type: 'text', text: 'What?' }, image]
    await chat(seeing.app_name_id, seeing.key).invoke([{ role: 'user', content }])
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(pixelUrl)
  })

  shows(['files'], 'a PDF as a file part is read', async () => {
    const { chat, service } = await setUp()
    const data = Buffer.from(makePdf(['The door is green.'])).toString('base64')
    const url = `data:application/pdf;base64,${data}`
    const file = { type: 'input_file', filename: 'a.pdf', file_data: url }
    const content = [{ type: 'text', text: 'Which colour?' }, file]
    await chat().invoke([{ role: 'user', content }])
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('The door is green.')
  })

  shows(['reasoning'], 'the reasoning of the model is a summary', async () => {
    const { chat } = await setUp({ script: () => ({ reply: 'Four.', reasoning: 'Two and two.' }) })
    const answer = await chat().invoke('2+2?')
    expect(JSON.stringify(answer.additional_kwargs.reasoning)).toContain('Two and two.')
  })

  shows(['conversation'], 'previous_response_id continues a response', async () => {
    const { chat, service } = await setUp()
    const first = await chat().invoke('hello')
    const previous_response_id = String(first.response_metadata.id)
    await chat().invoke('again', { previous_response_id })
    expect(service.model.requests[1]?.body.messages).toHaveLength(3)
  })

  shows(['errors'], 'an error has the status and the code', async () => {
    const { chat } = await setUp()
    const refused = chat('nobody-1').invoke('hello')
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  })

  shows(['abort'], 'aborting a stream ends the model call', async () => {
    const { chat, service } = await setUp({ script: () => slowAnswer })
    const aborting = new AbortController()
    const pieces = await chat().stream('hello', { signal: aborting.signal })
    const read = (async () => {
      for await (const piece of pieces) if (piece.text !== '') aborting.abort()
    })()
    await expect(read).rejects.toThrow(/abort/i)
    const { aborted } = await service.model.request(0)
    await aborted
  })
})
