import { modelName } from '#test/support/servers/model-requests.ts'
import { beforeAll, expect, test } from 'vitest'
import { TurnCredits } from '#features/credits/index.ts'
import { newId } from '#kernel/ids.ts'
import type {
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  Models,
  TextListener,
} from '#platform/models/model.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { MeteredModel } from './metered-model.ts'

/** Counts a token for each message of the prompt and each letter of the answer. */
const countUsage: Models['countUsage'] = async (messages, said) => ({
  promptTokens: messages.length,
  completionTokens: said.length,
})

const whole: ModelAnswer = { text: '', finishReason: 'stop', usage: null, citedPassages: null }

/** A model that streams a text and then waits forever or ends as configured. */
const says = (text: string, end: 'hangs' | 'fails' | ModelAnswer) => ({
  countUsage,
  complete: async () => (end === 'hangs' || end === 'fails' ? whole : end),
  async stream(listener: TextListener) {
    if (text !== '') await listener([text])
    if (end === 'hangs') return await new Promise<never>(() => {})
    if (end === 'fails') throw new Error('the model failed')
    return end
  },
})

const request = (messages: number): ModelRequest => ({
  model: modelName('mock'),
  access: { provider: 'openai', apiKey: null, baseUrl: null, trusted: true },
  messages: Array.from({ length: messages }, (): ModelMessage => ({ role: 'user', content: 'so' })),
  passages: [],
  temperature: null,
  maxOutputTokens: null,
  signal: new AbortController().signal,
})

const disconnected = { disconnected: true }
const failed = { disconnected: false }
const usage = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
})

describeInstance('a metered model', (open) => {
  let instance: TestInstance
  let credits: TurnCredits

  beforeAll(async () => {
    instance = await open()
    const { workspaceId } = await instance.person()
    credits = await TurnCredits.open(instance.ctx, {
      consumer: { workspaceId, agentId: 'agent', keyId: null, endUser: null },
      turnId: newId(),
      model: 'openai/mock',
      startedAt: instance.ctx.clock.now(),
    })
  })

  /** Runs the calls of one turn one after another. */
  function meter(...models: readonly ReturnType<typeof says>[]) {
    const left = [...models]
    const next = () => {
      const model = left.shift()
      if (model === undefined) throw new Error('the test has no further model')
      return model
    }
    const turns: Pick<Models, 'countUsage' | 'complete' | 'stream'> = {
      countUsage,
      complete: () => next().complete(),
      stream: (_, listener) => next().stream(listener),
    }
    return new MeteredModel({ ...instance.ctx, models: turns }, credits, true)
  }

  /** Waits for the first text only. */
  const begin = async (model: MeteredModel, messages: number) => {
    const first = new Promise<void>((resolve) => {
      void model.call(request(messages), () => resolve())
    })
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 20))])
  }
  const read = (model: MeteredModel, messages: number) =>
    model.call(request(messages), () => undefined)

  test('a turn whose model was never called is not billed, even if the client disconnected', async () => {
    expect(await meter().usageOfFailed(disconnected)).toEqual(usage(0, 0))
  })

  test('before the first text, a disconnect is billed for the prompt, and a failed call is not billed', async () => {
    const silent = meter(says('', 'hangs'))
    await begin(silent, 3)
    expect(await silent.usageOfFailed(disconnected)).toEqual(usage(3, 0))
    expect(await silent.usageOfFailed(failed)).toEqual(usage(0, 0))
    const broken = meter(says('abcd', 'fails'))
    await expect(read(broken, 3)).rejects.toThrow('the model failed')
    expect(await broken.usageOfFailed(failed)).toEqual(usage(3, 4))
  })

  test('a turn owes each finished call as counted, and the text of the running call', async () => {
    const counted = { ...whole, usage: usage(30, 20) }
    const model = meter(says('ab', counted), says('cde', 'hangs'))
    await read(model, 3)
    expect(model.usage).toEqual(usage(30, 20))
    expect(await model.usageOfFailed(disconnected)).toEqual(usage(30, 20))
    await begin(model, 5)
    expect(await model.usageOfFailed(failed)).toEqual(usage(35, 23))
    expect(model.said).toBe('ab\n\ncde')
  })

  test('usage that a provider does not report is counted, including tool calls', async () => {
    const toolCalls = [{ id: '1', name: 'look', arguments: '{}' }]
    const model = meter(says('ab', { ...whole, toolCalls }), says('cde', whole))
    await read(model, 3)
    expect(model.usage).toEqual(usage(3, 2 + 6))
    await read(model, 4)
    expect(model.usage).toEqual(usage(7, 11))
  })
})
