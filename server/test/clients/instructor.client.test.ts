import createInstructor from '@instructor-ai/instructor'
import OpenAI from 'openai'
import { expect } from 'vitest'
import { z } from 'zod/v3'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('`instructor` for JavaScript')
const messages = [{ role: 'user' as const, content: 'Ada is 36 years old' }]
const person = z.object({ name: z.string(), age: z.number() })
const wanted = { schema: person, name: 'Person' }

const ada = { name: 'Ada', age: 36 }

describeChat('instructor for JavaScript over the openai client, unmodified', (open) => {
  async function setUp(mode: 'TOOLS' | 'JSON_SCHEMA', script: (n: number) => ModelScript) {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const baseURL = await service.listen()
    const agent = await service.makeAgent({ model: 'openai/gpt-4o' })
    const openai = new OpenAI({ baseURL, apiKey: agent.key, maxRetries: 0 })
    // It compares errors with the class of Zod 4, and its schemas are of Zod 3.
    const { chat } = createInstructor({ client: openai, mode, retryAllErrors: true })
    const model = agent.app_name_id
    const ask = (more: { readonly max_retries?: number; readonly model?: string } = {}) =>
      chat.completions.create({ model, messages, response_model: wanted, ...more })
    const asked = (n: number) => service.model.requests[n]?.body
    return { service, chat, ask, asked, model }
  }
  const called = (values: object) => ({
    reply: '',
    toolCalls: [{ name: 'Person', arguments: values }],
  })

  shows(
    ['answer', 'tools', 'structured output'],
    'reads an object from a forced tool',
    async () => {
      const { ask, asked } = await setUp('TOOLS', () => called(ada))
      expect(await ask()).toMatchObject(ada)
      const tool_choice = { type: 'function', function: { name: 'Person' } }
      expect(asked(0)).toMatchObject({ tool_choice })
    },
  )

  shows(['structured output'], 'asks again when a value is of the wrong type', async () => {
    const wrong = { name: 'Ada', age: 'unknown' }
    const { ask, asked } = await setUp('TOOLS', (n) => called(n === 0 ? wrong : ada))
    expect(await ask({ max_retries: 1 })).toMatchObject(ada)
    expect(JSON.stringify(asked(1))).toContain('correct the function call')
  })

  shows(['structured output'], 'reads an object from JSON mode', async () => {
    const { ask, asked } = await setUp('JSON_SCHEMA', () => ({ reply: JSON.stringify(ada) }))
    expect(await ask()).toMatchObject(ada)
    expect(asked(0)).toMatchObject({ response_format: { type: 'json_object' } })
  })

  shows(['streaming'], 'streams an object that grows', async () => {
    const { chat, model } = await setUp('TOOLS', () => called(ada))
    const create = { model, messages, response_model: wanted, stream: true } as const
    const states = []
    for await (const state of await chat.completions.create(create)) states.push(state)
    expect(states.at(-1)).toMatchObject(ada)
  })

  shows(['images'], 'reads an object from an image', async () => {
    const { chat, asked, model } = await setUp('TOOLS', () => called(ada))
    const content = [{ type: 'image_url' as const, image_url: { url: pixelUrl } }]
    const shown = [{ role: 'user' as const, content }]
    const create = { model, messages: shown, response_model: wanted }
    expect(await chat.completions.create(create)).toMatchObject(ada)
    expect(JSON.stringify(asked(0))).toContain(pixelUrl)
  })

  shows(['files'], 'reads an object from a PDF', async () => {
    const { chat, asked, model } = await setUp('TOOLS', () => called(ada))
    const file_data = Buffer.from(makePdf(['Ada is 36.'])).toString('base64')
    const content = [{ type: 'file' as const, file: { filename: 'a.pdf', file_data } }]
    const sent = [{ role: 'user' as const, content }]
    const create = { model, messages: sent, response_model: wanted }
    expect(await chat.completions.create(create)).toMatchObject(ada)
    expect(JSON.stringify(asked(0))).toContain('Ada is 36.')
  })

  shows(['conversation'], 'continues a session by a field of the body', async () => {
    const { chat, asked, model } = await setUp('TOOLS', () => called(ada))
    const chatSessionId = 'e3f0c5e2-6f0e-4d0c-9a3f-0d8f8f3b5a11'
    const create = { model, messages, response_model: wanted, chatSessionId }
    for (const _ of ['one', 'two']) await chat.completions.create(create)
    expect(JSON.stringify(asked(1)).match(/Ada is 36 years old/g)).toHaveLength(2)
  })

  shows(['abort'], 'aborting ends the model call', async () => {
    const { chat, service, model } = await setUp('TOOLS', () => ({
      reply: 'late',
      firstByteMs: 60_000,
    }))
    const stop = new AbortController()
    const create = { model, messages, response_model: wanted }
    const asking = chat.completions.create(create, { signal: stop.signal })
    const { aborted } = await service.model.request(0)
    stop.abort()
    await expect(asking).rejects.toThrow('aborted')
    await aborted
  })

  shows(['errors'], 'an error has our status and message', async () => {
    const { ask } = await setUp('TOOLS', () => called(ada))
    const error = 'Unknown model "nobody-1"'
    await expect(ask({ model: 'nobody-1' })).rejects.toMatchObject({ status: 404, error })
  })
})
