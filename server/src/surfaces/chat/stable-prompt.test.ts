import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'

interface Said {
  readonly role: string
  readonly content: string
}

describeChat('the prompt of an agent with knowledge', (open) => {
  test('begins in each turn with the bytes that the turn before ended with, but for its passages', async () => {
    const chat = await open({ model: { reply: 'It steeps [1].' } })
    const { ctx, owner, agent } = chat
    await updateAgent(ctx, owner, agent.id, { system_prompt: 'Be kind.' })
    for (const [title, text] of [
      ['Tea', 'Green tea steeps for two minutes.'],
      ['Coffee', 'Coffee brews for four minutes.'],
    ] as const)
      await addTextSource(ctx, owner.workspaceId, { appId: agent.id, title, text })
    const first = await answerOf(chat.say('How long does green tea steep?'))
    const { chatSessionId } = first
    await answerOf(chat.say('How long does coffee brew?', { chatSessionId }))
    await answerOf(chat.say('Thanks', { chatSessionId }))
    const [one, two, three] = chat.model.requests.map(({ body }) => body.messages as Said[]) // OpenAI's format.
    const isPassages = ({ content }: Said) => content.startsWith('Passages from the knowledge')
    const shared = (messages: readonly Said[] = []) => messages.filter((said) => !isPassages(said))
    const bytes = (messages: readonly Said[]) => JSON.stringify(messages).slice(0, -1)
    for (const [before, after] of [
      [one, two],
      [two, three],
    ]) {
      // What comes before the passages is the beginning of the next prompt.
      const stable = before?.slice(0, before.findIndex(isPassages)) ?? []
      expect(stable.length).toBeGreaterThan(0)
      expect(bytes(after ?? []).startsWith(bytes(stable))).toBe(true)
      expect(bytes(shared(after)).startsWith(bytes(shared(before)))).toBe(true)
    }
    expect(two?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'user'])
    expect(two?.[3]?.content).toContain('Coffee brews for four minutes.')
    expect(two?.[0]?.content).not.toContain('minutes')
  })
})
