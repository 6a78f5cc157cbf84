import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  dropResentBeginning,
  lastQuestion,
  messageRoles,
  toModelMessages,
  type TranscriptMessage,
} from './prompt.ts'

const user = (content: string) => ({ role: 'user' as const, content })
const assistant = (content: string) => ({ role: 'assistant' as const, content })
const system = (content: string): TranscriptMessage => ({ role: 'system', content })

test('a resent beginning is dropped', () => {
  const stored = [user('hi'), assistant('hello')]
  expect(dropResentBeginning(stored, [...stored, user('and now?')])).toEqual([user('and now?')])
})

test('new messages are added unchanged', () => {
  expect(dropResentBeginning([user('hi'), assistant('hello')], [user('next')])).toEqual([
    user('next'),
  ])
})

test('an array that begins with only part of the stored messages is entirely new', () => {
  const incoming = [user('hi'), user('next')]
  expect(dropResentBeginning([user('hi'), assistant('hello')], incoming)).toEqual(incoming)
})

test('an array whose beginning differs in one role or text is entirely new', () => {
  const incoming = [system('be kind'), assistant('hello'), user('next')]
  expect(dropResentBeginning([user('be kind'), assistant('hello')], incoming)).toEqual(incoming)
})

test('the last user message is never dropped, even if it was stored before', () => {
  const stored = [user('hi')]
  expect(dropResentBeginning(stored, [user('hi')])).toEqual([user('hi')])
})

const anyTranscript = fc.array(
  fc.record({ role: fc.constantFrom(...messageRoles), content: fc.string({ maxLength: 3 }) }),
)

test('of a resent transcript with one more user message, only that message is new', () => {
  fc.assert(
    fc.property(anyTranscript, fc.string(), (stored, text) => {
      expect(dropResentBeginning(stored, [...stored, user(text)])).toEqual([user(text)])
    }),
  )
})

test('the remaining messages are always the end of the array and include its last user message', () => {
  fc.assert(
    fc.property(anyTranscript, anyTranscript, (stored, incoming) => {
      const fresh = dropResentBeginning(stored, incoming)
      expect(incoming.slice(incoming.length - fresh.length)).toEqual(fresh)
      expect(lastQuestion(fresh)).toEqual(lastQuestion(incoming))
    }),
  )
})

const able = { sees: true, fetches: true, hears: true }

test('the model receives developer messages as system messages, and tool results as user data', () => {
  const transcript = [
    { role: 'developer', content: 'be brief' },
    { role: 'tool', content: '42' },
  ] as const
  const roles = toModelMessages(transcript, able).map((message) => message.role)
  expect(roles).toEqual(['system', 'user'])
})

test('an earlier answer with only tool calls is not sent to the model as an empty message', () => {
  expect(toModelMessages([user('hi'), assistant('')], able)).toEqual([user('hi')])
})

test('images are sent to a model that supports them; another model gets only the text, and no empty message', () => {
  const parts = [{ type: 'image', url: 'data:image/png;base64,AA==' }] as const
  const transcript = [
    { ...user('what is it?'), parts },
    { ...user(''), parts },
  ]
  expect(toModelMessages(transcript, able)).toEqual([
    { role: 'user', content: parts },
    { role: 'user', content: parts },
  ])
  expect(toModelMessages(transcript, { ...able, sees: false })).toEqual([user('what is it?')])
})

test('of images and audio, a model gets those that it supports', () => {
  const image = { type: 'image', url: 'data:image/png;base64,AA==' } as const
  const audio = { type: 'audio', format: 'wav', data: 'AA==' } as const
  const transcript = [{ ...user('what is it?'), parts: [image, audio] }]
  const read = (model: Partial<typeof able>) =>
    toModelMessages(transcript, { ...able, ...model })[0]?.content
  expect(read({})).toEqual([image, audio])
  expect(read({ fetches: false })).toEqual([image, audio])
  expect(read({ sees: false })).toEqual([audio])
  expect(read({ hears: false })).toEqual([image])
  expect(read({ sees: false, hears: false })).toBe('what is it?')
  const remote = { type: 'image', url: 'https://a.example/a.png' } as const
  const seen = [{ ...user('what is it?'), parts: [remote] }]
  expect(toModelMessages(seen, able)[0]?.content).toEqual([remote])
  expect(toModelMessages(seen, { ...able, fetches: false })).toEqual([user('what is it?')])
})
