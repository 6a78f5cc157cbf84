import { expect, test } from 'vitest'
import type { ModelMessage, ModelRequest } from '#platform/models/model.ts'
import { OwedUsage } from './owed-usage.ts'
import type { LoopModels } from './tool-loop.ts'

/** A token is a message read, or a letter said; nobody is ever answered. */
const models: LoopModels = {
  countUsage: async (messages, said) => ({
    promptTokens: messages.length,
    completionTokens: said.length,
  }),
  complete: () => new Promise(() => {}),
  stream: async function* () {},
}

const hungUp = { hungUp: true }
const failed = { hungUp: false }

function ask(owed: OwedUsage, messages: number): void {
  const said: ModelMessage = { role: 'user', content: 'so' }
  // What is noted is the messages alone.
  const request = { messages: Array.from({ length: messages }, () => said) } as unknown
  void owed.noting(models).complete(request as ModelRequest)
}

test('a turn whose model was never asked owes nothing, whoever ended it', async () => {
  const owed = new OwedUsage()
  expect(await owed.usage(models, '', hungUp)).toEqual({ promptTokens: 0, completionTokens: 0 })
})

test('before the first word, who hangs up owes what was read, and a model that fails is owed nothing', async () => {
  const owed = new OwedUsage()
  ask(owed, 3)
  expect(await owed.usage(models, '', hungUp)).toEqual({ promptTokens: 3, completionTokens: 0 })
  expect(await owed.usage(models, '', failed)).toEqual({ promptTokens: 0, completionTokens: 0 })
  expect(await owed.usage(models, 'abcd', failed)).toEqual({ promptTokens: 3, completionTokens: 4 })
})

test('rounds that ended are owed besides the one under way, each for its own words', async () => {
  const owed = new OwedUsage()
  ask(owed, 3)
  owed.endRound({ promptTokens: 30, completionTokens: 20 }, 'ab')
  expect(await owed.usage(models, 'ab', hungUp)).toEqual({ promptTokens: 30, completionTokens: 20 })
  ask(owed, 5)
  expect(await owed.usage(models, 'ab', failed)).toEqual({ promptTokens: 30, completionTokens: 20 })
  expect(await owed.usage(models, 'ab', hungUp)).toEqual({ promptTokens: 35, completionTokens: 20 })
  expect(await owed.usage(models, 'abcde', failed)).toEqual({
    promptTokens: 35,
    completionTokens: 23,
  })
})
