import { expect, test } from 'vitest'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'

const slots = 8
const floodSize = 200

describeChat('a workspace beside one that floods the chat API', (open) => {
  interface Ended {
    /** By the message that was answered. */
    readonly answered: string[]
  }

  async function openWithNeighbour(): Promise<{
    service: ChatService
    ended: Ended
    ask: (who: 'flood' | 'neighbour') => Promise<Response>
  }> {
    const ended: Ended = { answered: [] }
    const service = await open({
      environment: { MODEL_CALLS_AT_ONCE: String(slots) },
      model: {
        script: ({ body }) => {
          const who = JSON.stringify(body).includes('flood') ? 'flood' : 'neighbour'
          ended.answered.push(who)
          return { reply: 'Yes.', firstByteMs: 10 }
        },
      },
    })
    const neighbour = await service.makeAgent({ owner: await service.person() })
    const ask = (who: 'flood' | 'neighbour') => {
      const [model, key] =
        who === 'flood'
          ? [service.agent.app_name_id, service.key]
          : [neighbour.app_name_id, neighbour.key]
      return service.post(
        { model, messages: [{ role: 'user', content: who }] },
        { authorization: `Bearer ${key}` },
      )
    }
    return { service, ended, ask }
  }

  test('is answered at once: it never waits for the calls in the other’s queue', async () => {
    const { service, ended, ask } = await openWithNeighbour()
    const flood = Array.from({ length: floodSize }, () => ask('flood'))
    await service.model.request(slots - 1)
    for (let n = 0; n < 5; n += 1) {
      const before = ended.answered.length
      expect((await ask('neighbour')).status).toBe(200)
      const since = ended.answered.slice(before)
      // Without fair slots, every call of the flood that waits comes first. While the neighbour's
      // request is read and stored, the flood's calls go on.
      const ahead = since.indexOf('neighbour')
      expect(ahead).toBeGreaterThanOrEqual(0)
      expect(ahead).toBeLessThan(floodSize / 2)
    }
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('gets half of the slots when it floods too', async () => {
    const { service, ended, ask } = await openWithNeighbour()
    const flood = Array.from({ length: floodSize }, () => ask('flood'))
    await service.model.request(slots - 1)
    const others = Array.from({ length: floodSize / 4 }, () => ask('neighbour'))
    await Promise.all(others)
    const first = ended.answered.indexOf('neighbour')
    const last = ended.answered.lastIndexOf('neighbour')
    const meanwhile = ended.answered.slice(first, last).filter((who) => who === 'flood')
    // As many as its own, and those that ran when it began.
    expect(meanwhile.length).toBeLessThanOrEqual(others.length * 1.2 + 2 * slots)
    await Promise.all(flood)
  })

  test('is not refused when the other’s queue is full', async () => {
    const neighbourAnswered = Promise.withResolvers<void>()
    const service = await open({
      environment: { MODEL_CALLS_AT_ONCE: '1', MODEL_CALLS_WAITING: '0' },
      model: {
        script: (_, n) =>
          n === 0 ? { reply: 'Yes.', after: neighbourAnswered.promise } : { reply: 'Yes.' },
      },
    })
    const first = service.say('1')
    await service.model.request(0)
    const refused = await service.say('2')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      error: 'Too many answers of this workspace are running; try again later',
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const neighbour = await service.makeAgent({ owner: await service.person() })
    const answer = await service.post(
      { model: neighbour.app_name_id, messages: [{ role: 'user', content: 'Hello' }] },
      { authorization: `Bearer ${neighbour.key}` },
    )
    expect(answer.status).toBe(200)
    neighbourAnswered.resolve()
    expect((await first).status).toBe(200)
  })
})
