import { ChatOpenAI } from '@langchain/openai'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelServerOptions } from '#test/support/servers/model-server.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('LangChain, `ChatOpenAI`')
const words = ['Hel', 'lo ', 'wörld']

describeChat('LangChain’s ChatOpenAI, unmodified', (open) => {
  async function setUp(scripted: ModelServerOptions = { reply: words }) {
    const service = await open({ model: scripted })
    const configuration = { baseURL: await service.listen() }
    const { key: apiKey, agent } = service
    const chat = (model: string) => new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0 })
    return { service, chat, model: agent.app_name_id }
  }

  shows(['answer'], 'invoke returns text and usage', async () => {
    const { chat, model } = await setUp()
    const answer = await chat(model).invoke('hello')
    expect(answer.text).toBe('Hello wörld')
    expect(answer.usage_metadata).toMatchObject({ total_tokens: 14 })
  })

  shows(['streaming'], 'stream returns the pieces and the requested usage', async () => {
    const { chat, model } = await setUp()
    const pieces = []
    for await (const piece of await chat(model).stream('hello')) pieces.push(piece)
    expect(pieces.map((piece) => piece.text).join('')).toBe('Hello wörld')
    const counted = expect.objectContaining({ total_tokens: 14 })
    expect(pieces).toContainEqual(expect.objectContaining({ usage_metadata: counted }))
  })

  shows([], 'an agent answers when its name makes the client send the role developer', async () => {
    const { service } = await setUp()
    const agent = await service.makeAgent({ name: 'o3 helper' })
    const configuration = { baseURL: await service.listen() }
    const chat = new ChatOpenAI({ model: agent.app_name_id, apiKey: agent.key, configuration })
    const answer = await chat.invoke([
      ['system', 'be brief'],
      ['human', 'hello'],
    ])
    expect(answer.text).toBe('Hello wörld')
  })

  shows(['errors'], 'an error has our status and message', async () => {
    const { chat } = await setUp()
    const refused = chat('nobody-1').invoke('hello')
    await expect(refused).rejects.toMatchObject({ status: 404, error: 'Unknown model "nobody-1"' })
  })

  shows(['tools'], 'bindTools returns a call, and its result is continued', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { chat, model } = await setUp({
      script: (_, n) => (n === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' }),
    })
    const lookUp = {
      type: 'function' as const,
      function: { name: 'look_up', parameters: { type: 'object', properties: {} } },
    }
    const bound = chat(model).bindTools([lookUp])
    const first = await bound.invoke('What is tea?')
    expect(first.tool_calls).toMatchObject([{ name: 'look_up', args: { word: 'tea' } }])
    const result = { role: 'tool', content: 'hot', tool_call_id: first.tool_calls?.[0]?.id ?? '' }
    const last = await bound.invoke([{ role: 'user', content: 'What is tea?' }, first, result])
    expect(last.text).toBe('A drink.')
  })

  shows(['structured output'], 'withStructuredOutput returns an object', async () => {
    const { chat, model } = await setUp({ reply: '{"city":"Bern"}' })
    const place = z.object({ city: z.string() })
    const asked = chat(model).withStructuredOutput(place, { method: 'jsonSchema' })
    expect(await asked.invoke('Where?')).toEqual({ city: 'Bern' })
  })

  shows(['images'], 'an image reaches the model', async () => {
    const { service } = await setUp()
    const seeing = await service.makeAgent({ model: 'openai/gpt-4o' })
    const configuration = { baseURL: await service.listen() }
    const chat = new ChatOpenAI({ model: seeing.app_name_id, apiKey: seeing.key, configuration })
    const image = { type: 'image_url', image_url: { url: pixelUrl } }
    const content = [{ type: 'text', text: 'What?' }, image]
    await chat.invoke([{ role: 'user', content }])
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(pixelUrl)
  })

  shows(['files'], 'a PDF as a file part is read', async () => {
    const { chat, model, service } = await setUp()
    const url = `data:application/pdf;base64,${Buffer.from(makePdf(['The door is green.'])).toString('base64')}`
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: url } }
    const content = [{ type: 'text', text: 'Which colour?' }, file]
    await chat(model).invoke([{ role: 'user', content }])
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('The door is green.')
  })

  shows(['conversation'], 'a session continues by a field of the body', async () => {
    const { service, model } = await setUp()
    const configuration = { baseURL: await service.listen() }
    const modelKwargs = { chatSessionId: 'e3f0c5e2-6f0e-4d0c-9a3f-0d8f8f3b5a11' }
    const chat = new ChatOpenAI({ model, apiKey: service.key, configuration, modelKwargs })
    for (const text of ['hello', 'again']) await chat.invoke(text)
    expect(service.model.requests[1]?.body.messages).toHaveLength(3)
  })

  shows(['abort'], 'aborting a stream ends the model call', async () => {
    const { chat, model, service } = await setUp({ script: () => slowAnswer })
    const aborting = new AbortController()
    const pieces = await chat(model).stream('hello', { signal: aborting.signal })
    const read = (async () => {
      for await (const piece of pieces) if (piece.text !== '') aborting.abort()
    })()
    await expect(read).rejects.toThrow(/abort/i)
    await (
      await service.model.request(0)
    ).aborted
  })
})
