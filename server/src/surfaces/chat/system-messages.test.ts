import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'
import { noted, runnerOf, talk } from '#test/support/chat/long-sessions.ts'

const system = (content: string) => ({ role: 'system', content })
const user = (content: string) => ({ role: 'user', content })

describeChat('system messages of later turns', (open) => {
  const openWith = async (provider: string, environment: Record<string, string> = {}) => {
    const server = await open({ model: { script: () => noted } })
    const name = provider.toUpperCase()
    const chat = await open({
      server: server.model,
      environment: {
        [`${name}_API_KEY`]: 'k',
        [`${name}_BASE_URL`]: server.model.origin,
        ...environment,
      },
    })
    const { ctx, owner, agent } = chat
    const settings = { model: `${provider}/some-model`, system_prompt: 'You sell tea.' }
    await updateAgent(ctx, owner, agent.id, settings)
    /** The instructions of the last request, in the provider's own format. */
    const instructions = () => {
      const { system: texts, systemInstruction } = chat.model.requests.at(-1)?.body ?? {}
      return JSON.stringify(texts ?? systemInstruction)
    }
    return { chat, instructions }
  }

  test.each(['anthropic', 'google'])(
    'reach a model of %s as instructions, in every turn',
    async (provider) => {
      const { chat, instructions } = await openWith(provider)
      const model = chat.agent.app_name_id
      let chatSessionId: string | undefined
      for (const [rule, question] of [
        ['Be brief.', 'one'],
        ['In French.', 'two'],
        ['In French.', 'three'],
      ] as const) {
        const messages = [system(rule), user(question)]
        const response = await chat.post({ model, messages, chatSessionId })
        expect(response.status).toBe(200)
        ;({ chatSessionId } = await answerOf(response))
      }
      expect(instructions().match(/You sell tea\.|Be brief\.|In French\./g)).toEqual([
        'You sell tea.',
        'Be brief.',
        'In French.',
      ])
    },
  )

  test.each(['anthropic', 'google'])(
    'are instructions of %s behind a summary of the session, too',
    async (provider) => {
      const { chat, instructions } = await openWith(provider, { MAX_HISTORY_MESSAGES: '4' })
      const { ctx, owner, agent } = chat
      await updateAgent(ctx, owner, agent.id, {
        system_prompt: '',
        memory: 'summary',
        allow_request_overrides: ['instructions'],
      })
      const id = await talk(chat, 4)
      await runnerOf(chat).runDue()
      const { create } = responsesOf(chat)
      const conversation = `conv_${id.replaceAll('-', '')}`
      const asked = { input: 'And now?', instructions: 'Be brief.', conversation }
      expect((await create(asked)).status).toBe('completed')
      expect(instructions()).toContain('Be brief.')
      expect(JSON.stringify(chat.model.requests.at(-1)?.body)).toContain('Ada likes tea.')
    },
  )
})
