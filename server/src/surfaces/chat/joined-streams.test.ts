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
    test(`of ${surface} get text that is joined, in order, complete, and its beginning at once`, async () => {
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
        expect(texts[0]?.text).not.toContain('word9 ')
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
    const all = Array.from({ length: streams }, () =>
      read(service, `${origin}/chat/completions`, controller.signal).catch(() => null),
    )
    await expect.poll(() => service.model.answering(), { timeout: 5000 }).toBe(streams)
    await new Promise((resolve) => setTimeout(resolve, 200))
    controller.abort()
    await Promise.all(all)
    await expect.poll(() => service.model.openSockets(), { timeout: 5000 }).toBe(0)
  })
})

async function read(
  { key, agent }: ChatService,
  url: string,
  signal = new AbortController().signal,
): Promise<Read> {
  const asked = url.endsWith('responses')
    ? { input: 'hi' }
    : { messages: [{ role: 'user', content: 'hi' }] }
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: agent.app_name_id, stream: true, ...asked }),
    signal,
  })
  expect(response.status).toBe(200)
  const packets: { text: string; at: number }[] = []
  const decoder = new TextDecoder()
  for await (const packet of response.body ?? [])
    packets.push({ text: decoder.decode(packet, { stream: true }), at: performance.now() })
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
