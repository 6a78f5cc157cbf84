import { expect, test } from 'vitest'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import type { ModelServerOptions } from '#test/support/servers/model-server.ts'

const words = Array.from({ length: 40 }, (_, n) => `word${n} `)

/** 60 streams, so each is read every 30 ms; reads that are due within 5 ms begin together. */
const streams = 60
const leastMs = 25

interface Read {
  readonly packets: readonly { readonly text: string; readonly at: number }[]
}

interface Client {
  readonly signal?: AbortSignal
  /** Is told how many packets there are with each one. */
  readonly hear?: (packets: number) => void
}

/** A model whose answers begin together, when all have been asked for. */
function allAtOnce(): ModelServerOptions {
  const asked = Promise.withResolvers<void>()
  return {
    script(_, n) {
      if (n === streams - 1) asked.resolve()
      return { reply: words, chunkMs: 10, after: asked.promise }
    },
  }
}

describeChat('many streams', (open) => {
  for (const surface of ['chat/completions', 'responses'])
    test(`of ${surface} get text that is joined, in order and complete`, async () => {
      const service = await open({ model: allAtOnce() })
      const origin = await service.listen()
      const answers = await Promise.all(
        Array.from({ length: streams }, () => read(service, `${origin}/${surface}`)),
      )
      const all = answers.map(({ packets }) => packets.map(({ text }) => text).join(''))
      for (const text of all) expect(saidIn(text)).toBe(words.join(''))
      let [count, most] = [0, 0]
      for (const { packets } of answers) {
        const texts = packets.filter(({ text }) => text.includes('word'))
        const lastedMs = (texts.at(-1)?.at ?? 0) - (texts[0]?.at ?? 0)
        count += texts.length
        // Neither the first read waits, nor do those after a wait that found nothing, nor the last ones.
        most += lastedMs / leastMs + 6
      }
      expect(count).toBeLessThan(most)
      const rows = await service.ctx.db.read
        .selectFrom('chat_messages')
        .select('content')
        .where('role', '=', 'assistant')
        .execute()
      expect(new Set(rows.map(({ content }) => content))).toEqual(new Set([words.join('')]))
      expect(rows).toHaveLength(streams)
    })

  test('whose caller leaves abort the model', async () => {
    const slow = Array.from({ length: 500 }, () => 'word ')
    const service = await open({ model: { script: () => ({ reply: slow, chunkMs: 10 }) } })
    const origin = await service.listen()
    const controller = new AbortController()
    let begun = 0
    const client = {
      signal: controller.signal,
      hear: (n: number) => void (begun += n === 2 ? 1 : 0),
    }
    const all = Array.from({ length: streams }, () =>
      read(service, `${origin}/chat/completions`, client).catch(() => null),
    )
    await expect.poll(() => begun).toBe(streams)
    expect(service.model.answering()).toBe(streams)
    controller.abort()
    await Promise.all(all)
    await expect.poll(() => service.model.openSockets()).toBe(0)
  })
})

async function read(
  { key, agent }: ChatService,
  url: string,
  { signal, hear }: Client = {},
): Promise<Read> {
  const asked = url.endsWith('responses')
    ? { input: 'hi' }
    : { messages: [{ role: 'user', content: 'hi' }] }
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: agent.app_name_id, stream: true, ...asked }),
    ...(signal && { signal }),
  })
  expect(response.status).toBe(200)
  const packets: { text: string; at: number }[] = []
  const decoder = new TextDecoder()
  for await (const packet of response.body ?? []) {
    packets.push({ text: decoder.decode(packet, { stream: true }), at: performance.now() })
    hear?.(packets.length)
  }
  return { packets }
}

/** The text of all deltas, of either surface. */
function saidIn(stream: string): string {
  const events = stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
  return events
    .map((event) =>
      event.type === 'response.output_text.delta'
        ? event.delta
        : (event.choices?.[0]?.delta?.content ?? ''),
    )
    .join('')
}
