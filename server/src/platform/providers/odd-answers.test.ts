import { afterEach, describe, expect, it } from 'vitest'
import { collect, createTestModels, modelRequest } from '#test/support/servers/model-requests.ts'
import { startServer } from '#test/support/servers/model-server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function answering(body: string, type: string) {
  const server = await startServer((response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(body)
  })
  const test = createTestModels({ origin: server.origin })
  cleanups.push(() => server.stop(), test.close)
  return { server, ...test }
}

async function streamed(chunks: readonly object[], shape = (frames: string) => frames) {
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
  const body = shape(frames.map((frame) => `data: ${frame}\n\n`).join(''))
  const { models } = await answering(body, 'text/event-stream')
  return await collect(models.stream(modelRequest()))
}

async function whole(completion: object) {
  const { models } = await answering(JSON.stringify(completion), 'application/json')
  return await models.complete(modelRequest())
}

const delta = (more: object, index = 0) => ({ choices: [{ index, delta: more }] })
const said = (content: string, index = 0) => delta({ content }, index)
const end = (reason: string, index = 0) => ({
  choices: [{ index, delta: {}, finish_reason: reason }],
})
const usage = (prompt_tokens: number, completion_tokens: number) => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
})

/** What a stream sends, and the answer that is read from it. */
const streams: readonly [string, readonly object[], object][] = [
  [
    'chunks without choices, before, between and after the text',
    [
      { choices: [], prompt_filter_results: [] },
      said('Hel'),
      { choices: null },
      {},
      said('lo'),
      end('stop'),
      { choices: [] },
    ],
    { text: 'Hello', finish: { finishReason: 'stop', usage: null } },
  ],
  [
    'deltas without content, and none at all',
    [
      delta({ role: 'assistant', content: null }),
      { choices: [{ index: 0, delta: null }] },
      { choices: [{ index: 0 }] },
      said('Hello'),
      end('stop'),
    ],
    { text: 'Hello' },
  ],
  [
    'usage in a chunk of its own, after the finish reason',
    [said('Hello'), end('stop'), { choices: [], ...usage(3, 4) }],
    { finish: { usage: { promptTokens: 3, completionTokens: 4 } } },
  ],
  [
    'usage in every chunk: the last counts, and null is none',
    [
      { ...said('Hel'), ...usage(3, 1) },
      { ...said('lo'), ...usage(3, 2) },
      { ...end('stop'), usage: null },
    ],
    { text: 'Hello', finish: { usage: { promptTokens: 3, completionTokens: 2 } } },
  ],
  [
    'what the model thinks, which is no answer',
    [
      delta({ reasoning_content: 'Hm. ' }),
      delta({ reasoning: 'Well. ', content: '' }),
      said('Hello'),
      end('stop'),
    ],
    { text: 'Hello' },
  ],
  [
    'a limit that was reached',
    [said('Hel'), end('length')],
    { finish: { finishReason: 'length' } },
  ],
  [
    'a filter that cut in',
    [said('Hel'), end('content_filter')],
    { text: 'Hel', finish: { finishReason: 'content_filter' } },
  ],
  [
    'several choices, of which the first was asked for',
    [
      said('Bonjour', 1),
      said('Hel'),
      {
        choices: [
          { index: 1, delta: { content: '!' } },
          { index: 0, delta: { content: 'lo' } },
        ],
      },
      end('length', 1),
      end('stop'),
    ],
    { text: 'Hello', finish: { finishReason: 'stop' } },
  ],
  [
    'no index',
    [{ choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] }],
    { text: 'Hello' },
  ],
  [
    'a line of 900,000 characters',
    [said('x'.repeat(900_000)), end('stop')],
    { text: 'x'.repeat(900_000) },
  ],
  [
    'arguments of a tool that are no JSON, as the model wrote them',
    [
      delta({
        tool_calls: [{ index: 0, id: 'a', function: { name: 'find', arguments: '{"city"' } }],
      }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ':' } }] }),
      end('tool_calls'),
    ],
    {
      finish: {
        finishReason: 'tool_calls',
        toolCalls: [{ id: 'a', name: 'find', arguments: '{"city":' }],
      },
    },
  ],
]

describe('A stream may contain', () => {
  it.each(streams)('%s', async (_, chunks, wanted) => {
    expect(await streamed(chunks)).toMatchObject({ error: null, ...wanted })
  })

  it('a byte order mark, CRLF, comments, and fields besides data', async () => {
    const odd = (frames: string) =>
      `\uFEFF: hello\n\n${frames.replaceAll('data: ', 'event: x\nid: 1\nretry: 5\ndata:')}`
    const crlf = (frames: string) => odd(frames).replaceAll('\n', '\r\n')
    expect(await streamed([said('Hello'), end('stop')], crlf)).toMatchObject({
      error: null,
      text: 'Hello',
      finish: { finishReason: 'stop' },
    })
  })
})

describe('A whole answer may contain', () => {
  const choice = (index: number, content: string | null, reason = 'stop') => ({
    index,
    message: { role: 'assistant', content, reasoning_content: 'Hm.' },
    finish_reason: reason,
  })
  it.each([
    ['several choices', { choices: [choice(1, 'Bonjour'), choice(0, 'Hello')] }, 'Hello', 'stop'],
    ['only reasoning, cut off', { choices: [choice(0, null, 'length')] }, '', 'length'],
    [
      'nothing because of a filter',
      { choices: [choice(0, '', 'content_filter')] },
      '',
      'content_filter',
    ],
  ])('%s', async (_, completion, text, finishReason) => {
    expect(await whole(completion)).toMatchObject({ text, finishReason })
  })
})

it('Arguments that a model wrote are sent back to it as an object, which is empty if they are invalid', async () => {
  const written = ['{"city": "Oslo"}', '{"city":', '', '[1]', 'null']
  const { models, server } = await answering(
    JSON.stringify({ choices: [{ message: { content: 'ok' } }] }),
    'application/json',
  )
  await models.complete(
    modelRequest({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: '',
          toolCalls: written.map((text, at) => ({ id: `c${at}`, name: 'find', arguments: text })),
        },
        ...written.map((_, at) => ({
          role: 'tool' as const,
          toolCallId: `c${at}`,
          toolName: 'find',
          content: 'no',
        })),
      ],
    }),
  )
  const sent = JSON.stringify(server.requests[0]?.body)
  expect(
    [...sent.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)].map(([, json]) =>
      JSON.parse(json ?? ''),
    ),
  ).toEqual(['{"city": "Oslo"}', '{}', '{}', '{}', '{}'])
})
