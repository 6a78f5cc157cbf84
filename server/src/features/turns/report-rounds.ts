import type { ModelFinish, ModelRequest, ModelUsage } from '#platform/models/model.ts'
import type { LoopModels } from './tool-loop.ts'

/**
 * Wraps the models to report the usage of each call that asks for tools, so that it is billed even
 * if the turn fails in a later round. The usage of the last call comes with the answer.
 */
export function reportRounds(models: LoopModels, owed: (usage: ModelUsage) => void): LoopModels {
  const tell = async ({ messages }: ModelRequest, said: string, finish: ModelFinish) => {
    const calls = finish.toolCalls ?? []
    if (calls.length === 0) return
    const written = calls.map(({ name, arguments: text }) => name + text).join('')
    owed(finish.usage ?? (await models.countUsage(messages, said + written)))
  }
  return {
    countUsage: (messages, answer) => models.countUsage(messages, answer),
    async complete(request) {
      const answer = await models.complete(request)
      await tell(request, answer.text, answer)
      return answer
    },
    async *stream(request) {
      let said = ''
      for await (const batch of models.stream(request)) {
        for (const event of batch)
          if (event.type === 'finish') await tell(request, said, event)
          else said += event.text
        yield batch
      }
    },
  }
}
