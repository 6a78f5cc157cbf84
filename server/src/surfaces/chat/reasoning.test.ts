import { expect, test } from 'vitest'
import { answerOf, describeChat, readFrames } from '#test/support/chat-service.ts'

const thinking = { model: { script: () => ({ reply: 'Four.', reasoning: 'Two and two.' }) } }

describeChat('the reasoning of a model', (open) => {
  test('is passed on as `reasoning_content`, and nothing of it is stored', async () => {
    const chat = await open(thinking)
    const answer = await answerOf(chat.say('2+2?'))
    expect(answer.choices[0].message).toEqual({
      role: 'assistant',
      content: 'Four.',
      reasoning_content: 'Two and two.',
    })
    const frames = await readFrames(await chat.say('2+2?', { stream: true }))
    const deltas = frames.flatMap(({ choices }) => {
      const [choice] = (choices ?? []) as { delta: Record<string, string> }[] // A chunk.
      return choice === undefined ? [] : [choice.delta]
    })
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe('Two and two.')
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('Four.')
    // It comes before the text.
    expect(Object.keys(deltas[1] ?? {})).toEqual(['reasoning_content'])
    const stored = await chat.ctx.db.read.selectFrom('chat_messages').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain('Two and two')
  })

  test('is not part of an answer whose format is checked', async () => {
    const script = () => ({ reply: '{"sum":4}', reasoning: 'Two and two.' })
    const chat = await open({ model: { script } })
    const answer = await answerOf(chat.say('2+2?', { response_format: { type: 'json_object' } }))
    expect(answer.choices[0].message).toEqual({ role: 'assistant', content: '{"sum":4}' })
  })
})
