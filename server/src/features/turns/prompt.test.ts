import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  dropResentBeginning,
  lastQuestion,
  messageRoles,
  toModelMessages,
  type TranscriptMessage,
} from './prompt.ts'

const user = (content: string): TranscriptMessage => ({ role: 'user', content })
const assistant = (content: string): TranscriptMessage => ({ role: 'assistant', content })
const system = (content: string): TranscriptMessage => ({ role: 'system', content })

test('a resent beginning is dropped', () => {
  const stored = [user('hi'), assistant('hello')]
  expect(dropResentBeginning(stored, [...stored, user('and now?')])).toEqual([user('and now?')])
})

test('only new messages are taken as they are', () => {
  expect(dropResentBeginning([user('hi'), assistant('hello')], [user('next')])).toEqual([
    user('next'),
  ])
})

test('an array that begins with only a part of what is stored is new as a whole', () => {
  const incoming = [user('hi'), user('next')]
  expect(dropResentBeginning([user('hi'), assistant('hello')], incoming)).toEqual(incoming)
})

test('an array whose beginning differs in one role or text is new as a whole', () => {
  const incoming = [system('be kind'), assistant('hello'), user('next')]
  expect(dropResentBeginning([user('be kind'), assistant('hello')], incoming)).toEqual(incoming)
})

test('the last user message is never dropped, even when all of it was stored before', () => {
  const stored = [user('hi')]
  expect(dropResentBeginning(stored, [user('hi')])).toEqual([user('hi')])
})

const anyTranscript = fc.array(
  fc.record({ role: fc.constantFrom(...messageRoles), content: fc.string({ maxLength: 3 }) }),
)

test('resending all and adding one user message always leaves just that message', () => {
  fc.assert(
    fc.property(anyTranscript, fc.string(), (stored, text) => {
      expect(dropResentBeginning(stored, [...stored, user(text)])).toEqual([user(text)])
    }),
  )
})

test('what is left is always the end of what came in, and holds its last user message', () => {
  fc.assert(
    fc.property(anyTranscript, anyTranscript, (stored, incoming) => {
      const fresh = dropResentBeginning(stored, incoming)
      expect(incoming.slice(incoming.length - fresh.length)).toEqual(fresh)
      expect(lastQuestion(fresh)).toEqual(lastQuestion(incoming))
    }),
  )
})

test('developer messages reach the model as system messages, tool results as data of the user', () => {
  const transcript: TranscriptMessage[] = [
    { role: 'developer', content: 'be brief' },
    { role: 'tool', content: '42' },
  ]
  const roles = toModelMessages(transcript, true).map((message) => message.role)
  expect(roles).toEqual(['system', 'user'])
})

test('an earlier answer that held only tool calls is not sent to the model as an empty message', () => {
  expect(toModelMessages([user('hi'), assistant('')], true)).toEqual([user('hi')])
})

test('images go to a model that sees; another gets the words beside them, and no empty message', () => {
  const parts = [{ type: 'image', url: 'data:image/png;base64,AA==' }] as const
  const transcript = [
    { ...user('what is it?'), parts },
    { ...user(''), parts },
  ]
  expect(toModelMessages(transcript, true)).toEqual([
    { role: 'user', content: parts },
    { role: 'user', content: parts },
  ])
  expect(toModelMessages(transcript, false)).toEqual([user('what is it?')])
})
