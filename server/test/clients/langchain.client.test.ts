import { ChatOpenAI } from '@langchain/openai'
import { expect } from 'vitest'
import { describeChat } from '#test/support/chat-service.ts'
import { showsFor } from '#test/support/client-features.ts'

const shows = showsFor('LangChain, `ChatOpenAI`')
const words = ['Hel', 'lo ', 'wörld']

describeChat('LangChain’s ChatOpenAI, unmodified', (open) => {
  async function setUp() {
    const service = await open({ model: { reply: words } })
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
})
