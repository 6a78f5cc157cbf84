import { describe, expect, test } from 'vitest'
import { Fault } from '#kernel/fault.ts'
import { toChatFault } from './fault-table.ts'
import { readChatRequest } from './read-request.ts'

const session = '0190a1b2-c3d4-7e5f-8a6b-9c0d1e2f3a4b'
const limits = { maxRequestMessages: 2_000, maxRequestParts: 10_000 }
const hello = [{ role: 'user', content: 'hello' }]

function refusal(body: unknown, header?: string): string {
  try {
    readChatRequest(body, header, limits)
  } catch (error) {
    if (error instanceof Fault) return toChatFault(error).message
  }
  return 'accepted'
}

describe('what is refused', () => {
  const table: [string, unknown, string][] = [
    ['no body', undefined, '`model` is required and must be a string'],
    ['an array for a body', [], '`model` is required and must be a string'],
    ['no model', { messages: hello }, '`model` is required and must be a string'],
    [
      'a model that is a number',
      { model: 7, messages: hello },
      '`model` is required and must be a string',
    ],
    ['no messages', { model: 'a-1' }, '`messages` must be a non-empty array'],
    ['no message', { model: 'a-1', messages: [] }, '`messages` must be a non-empty array'],
    ['messages as text', { model: 'a-1', messages: 'hi' }, '`messages` must be a non-empty array'],
    [
      'a message that is a string',
      { model: 'a-1', messages: ['hi'] },
      '`messages[0]` must be an object',
    ],
    [
      'an unknown role',
      { model: 'a-1', messages: [...hello, { role: 'robot', content: 'x' }] },
      '`messages[1].role` must be one of user, assistant, system, developer, tool',
    ],
    [
      'a content that is a number',
      { model: 'a-1', messages: [{ role: 'user', content: 7 }] },
      '`messages[0].content` must be a string or an array of content parts',
    ],
    [
      'a user message without content',
      { model: 'a-1', messages: [{ role: 'user', content: null }] },
      '`messages[0].content` must be a string or an array of content parts',
    ],
    [
      'an unknown part',
      { model: 'a-1', messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
      '`messages[0].content[0].type` must be text, image_url, file or input_audio',
    ],
    [
      'an image at a plain http address',
      {
        model: 'a-1',
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://x/' } }] },
        ],
      },
      '`messages[0].content[0].image_url.url` must be an https: or data:image/ URL',
    ],
    [
      'stream as a string',
      { model: 'a-1', messages: hello, stream: 'yes' },
      '`stream` must be a boolean',
    ],
    [
      'a malformed session id',
      { model: 'a-1', messages: hello, chatSessionId: 'abc' },
      '`chatSessionId` must be a UUID',
    ],
  ]
  test.each(table)('%s', (_, body, message) => {
    expect(refusal(body)).toBe(message)
  })

  test('more messages than a request may have, before any is read', () => {
    const many = (count: number): unknown => ({ model: 'a-1', messages: Array(count).fill('hi') })
    expect(refusal(many(2_001))).toBe('`messages` must hold at most 2000 messages')
    expect(refusal(many(2_000))).toBe('`messages[0]` must be an object')
  })

  test('more content parts than a request may have, before any is read', () => {
    const half = { role: 'robot', content: Array(5_000).fill('smell') }
    const last = { role: 'user', content: ['hi'] }
    expect(refusal({ model: 'a-1', messages: [half, half, last] })).toBe(
      '`messages` must hold at most 10000 content parts',
    )
    expect(refusal({ model: 'a-1', messages: [half, half] })).toMatch('`messages[0].role`')
  })

  test('a malformed session id in the header', () => {
    expect(refusal({ model: 'a-1', messages: hello }, 'abc')).toBe(
      '`X-Chat-Session-ID` must be a UUID',
    )
  })
})

describe('what is accepted', () => {
  test('unknown fields are ignored', () => {
    const body = {
      model: 'a-1',
      messages: hello,
      top_p: 1,
      n: 1,
      tools: [],
      reasoning: { effort: 'low' },
    }
    expect(refusal(body)).toBe('accepted')
  })

  test('text parts are joined into the text of the message', () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    const [message] = readChatRequest(
      { model: 'a-1', messages: [{ role: 'user', content }] },
      undefined,
      limits,
    ).messages
    expect(message).toEqual({ role: 'user', content: 'one\ntwo' })
  })

  test('an image keeps its position among the parts', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'text', text: 'what is it?' },
    ]
    const [message] = readChatRequest(
      { model: 'a-1', messages: [{ role: 'user', content }] },
      undefined,
      limits,
    ).messages
    expect(message?.parts).toMatchObject([
      { type: 'image', url: 'data:image/png;base64,AA==' },
      { type: 'text', text: 'what is it?' },
    ])
  })

  test('roles developer and tool, and an assistant message without content', () => {
    const messages = [
      { role: 'developer', content: 'be brief' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', content: '42', tool_call_id: 'x' },
      ...hello,
    ]
    expect(refusal({ model: 'a-1', messages })).toBe('accepted')
  })

  test('the session id in the body takes precedence over the header', () => {
    const other = '0190a1b2-c3d4-7e5f-8a6b-000000000000'
    const request = readChatRequest(
      { model: 'a-1', messages: hello, chatSessionId: session },
      other,
      limits,
    )
    expect(request.sessionId).toBe(session)
  })

  test('the header sets the session id if the body has none', () => {
    const body = { model: 'a-1', messages: hello, chatSessionId: null }
    expect(readChatRequest(body, session.toUpperCase(), limits).sessionId).toBe(session)
  })
})
