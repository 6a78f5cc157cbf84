import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { ModelRequest } from '#platform/models/model.ts'
import { ReadSchedule } from '#platform/outbound-http/read-schedule.ts'
import { collect, createTestModels, modelRequest } from '#test/support/servers/model-requests.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

const words = Array.from({ length: 30 }, (_, n) => `word ${n} `)

describe.each(['openai', 'anthropic', 'google'])('A stream of %s', (provider) => {
  const access = { provider, apiKey: 'sk-secret', baseUrl: null, trusted: true }

  /** With 160 more streams, so that a read waits for 80 ms and more. */
  async function open(script: ModelScript) {
    const server = await startModelServer({ script: () => script })
    const schedule = new ReadSchedule(100)
    for (let n = 0; n < 160; n += 1) schedule.join()
    const restMs = schedule.intervalMs
    const { models, close } = createTestModels({ origin: server.origin, schedule })
    cleanups.push(() => server.stop(), close)
    const counts = () => schedule.intervalMs !== restMs
    const stream = (hearing: Partial<ModelRequest> = {}) =>
      collect(models.stream(modelRequest({ access, ...hearing })))
    return { counts, stream }
  }

  it('is one of the many from its first text to its end, and complete', async () => {
    const { counts, stream } = await open({ reply: words, chunkMs: 10 })
    const answer = stream()
    await expect.poll(counts).toBe(true)
    const { text, finish, error } = await answer
    expect(error).toBeNull()
    expect(text).toBe(words.join(''))
    expect(finish).toMatchObject({ finishReason: 'stop', usage: { completionTokens: 5 } })
    expect(counts()).toBe(false)
  })

  // Google's wire has no calls before its end.
  it.skipIf(provider === 'google')('is none of them while it calls a tool', async () => {
    const end = Promise.withResolvers<void>()
    const toolCalls = [{ name: 'look', arguments: { at: 'the sea' } }]
    const { counts, stream } = await open({ reply: 'So: ', toolCalls, endsAfter: end.promise })
    const heard = Promise.withResolvers<void>()
    const answer = stream({ hearCalls: () => heard.resolve() })
    await heard.promise
    // The schedule learns of a packet when all that it holds was heard.
    await setImmediate()
    expect(counts()).toBe(false)
    end.resolve()
    expect((await answer).finish?.toolCalls).toMatchObject([{ name: 'look' }])
  })
})

it('Texts that come together are passed on together, in the order of the model', async () => {
  const server = await startModelServer({
    script: () => ({ reasoning: 'Hm.', reply: words, refusal: 'No.' }),
  })
  const { models, close } = createTestModels({ origin: server.origin })
  cleanups.push(() => server.stop(), close)
  const heard: string[] = []
  const hearReasoning = (texts: readonly string[]) => void heard.push(`reasoning ${texts.join('')}`)
  const { batches } = await collect(models.stream(modelRequest({ hearReasoning })))
  expect(heard).toEqual(['reasoning Hm.'])
  expect(batches).toEqual([words.join(''), 'No.'])
})
