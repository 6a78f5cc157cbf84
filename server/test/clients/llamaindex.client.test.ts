import { OpenAI } from '@llamaindex/openai'
import { LLMAgent } from '@llamaindex/core/agent'
import { FunctionTool } from '@llamaindex/core/tools'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor } from '#test/support/chat/client-features.ts'
import type { ModelServerOptions } from '#test/support/servers/model-server.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('LlamaIndex.TS, `OpenAI`')
const messages = [{ role: 'user' as const, content: 'hello' }]
describeChat('the OpenAI class of LlamaIndex.TS, unmodified', (open) => {
  async function setUp(scripted: ModelServerOptions = { reply: ['Hel', 'lo ', 'wörld'] }) {
    const service = await open({ model: scripted })
    const baseURL = await service.listen()
    const llm = (model: string, apiKey = service.key) =>
      new OpenAI({ model, apiKey, baseURL, maxRetries: 0 })
    return { service, llm, model: service.agent.app_name_id }
  }

  shows(['answer'], 'chat returns the text of the answer', async () => {
    const { llm, model } = await setUp()
    const { message } = await llm(model).chat({ messages })
    expect(message).toMatchObject({ role: 'assistant', content: 'Hello wörld' })
  })

  shows(['streaming'], 'chat streams the pieces', async () => {
    const { llm, model } = await setUp()
    const pieces = []
    for await (const { delta } of await llm(model).chat({ messages, stream: true })) {
      pieces.push(delta)
    }
    expect(pieces.filter((piece) => piece !== '')).toEqual(['Hel', 'lo ', 'wörld'])
  })

  shows(['tools'], 'an agent of LlamaIndex calls its own tool and reads the result', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { llm, model, service } = await setUp({
      script: (_, n) => (n === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' }),
    })
    const asked: string[] = []
    const lookUp = FunctionTool.from(
      ({ word }: { word: string }) => {
        asked.push(word)
        return 'hot'
      },
      {
        name: 'look_up',
        description: 'Looks a word up',
        parameters: {
          type: 'object',
          properties: { word: { type: 'string' } },
          required: ['word'],
        },
      },
    )
    const agent = new LLMAgent({ llm: llm(model), tools: [lookUp] })
    const { message } = await agent.chat({ message: 'What is tea?' })
    expect(message.content).toBe('A drink.')
    expect(asked).toEqual(['tea'])
    const result = expect.objectContaining({ role: 'tool', content: 'hot' })
    expect(service.model.requests[1]?.body.messages).toContainEqual(result)
  })

  shows(['structured output'], 'responseFormat returns JSON of the schema', async () => {
    const { llm, model, service } = await setUp({ reply: '{"city":"Bern"}' })
    const responseFormat = z.object({ city: z.string() })
    const { message } = await llm(model).chat({ messages, responseFormat })
    expect(message.content).toBe('{"city":"Bern"}')
    expect(service.model.requests[0]?.body).toMatchObject({
      response_format: { type: 'json_schema' },
    })
  })

  shows(['images'], 'an image reaches the model', async () => {
    const { llm, service } = await setUp()
    const seeing = await service.makeAgent({ model: 'openai/gpt-4o' })
    const image = {
      type: 'image_url' as const,
      image_url: { url: pixelUrl },
    }
    const content = [{ type: 'text' as const, text: 'What is it?' }, image]
    await llm(seeing.app_name_id, seeing.key).chat({ messages: [{ role: 'user', content }] })
    expect(JSON.stringify(service.model.requests[0]?.body.messages)).toContain(pixelUrl)
  })

  shows(['files'], 'a PDF is read', async () => {
    const { llm, model, service } = await setUp()
    const data = Buffer.from(makePdf(['The door is green.'])).toString('base64')
    const file = { type: 'file' as const, data, mimeType: 'application/pdf' }
    const content = [{ type: 'text' as const, text: 'Which colour?' }, file]
    await llm(model).chat({ messages: [{ role: 'user', content }] })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('The door is green.')
  })

  shows(['conversation'], 'a session continues by a field of the body', async () => {
    const { service, model } = await setUp()
    const ours: object = { chatSessionId: 'e3f0c5e2-6f0e-4d0c-9a3f-0d8f8f3b5a11' }
    const options = { model, apiKey: service.key, baseURL: await service.listen() }
    const llm = new OpenAI({ ...options, additionalChatOptions: ours })
    for (const _ of ['one', 'two']) await llm.chat({ messages })
    expect(service.model.requests[1]?.body.messages).toHaveLength(3)
  })

  shows(['errors'], 'an error has our status and message', async () => {
    const { llm } = await setUp()
    await expect(llm('nobody-1').chat({ messages })).rejects.toMatchObject({
      status: 404,
      error: 'Unknown model "nobody-1"',
    })
  })
})
