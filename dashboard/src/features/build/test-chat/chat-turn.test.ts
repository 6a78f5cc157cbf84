import { expect, test } from 'vitest'
import type { ChatToolCall } from '#api/stream-chat.ts'
import { isAsking, newTurn, turnsAfter } from './chat-turn.ts'

function call(id: string, status: ChatToolCall['status']): ChatToolCall {
  return {
    id,
    kind: 'action',
    name: 'look_up',
    title: '',
    arguments: {},
    status,
    http_status: null,
    duration_ms: null,
    error: null,
    error_code: null,
    response: null,
  }
}

test('text is appended to the answer that it belongs to', () => {
  const turns = [newTurn(0, 'Hello'), newTurn(1, 'And?')]
  const after = turnsAfter(turnsAfter(turns, 1, { type: 'text', text: 'It ' }), 1, {
    type: 'text',
    text: 'is.',
  })
  expect(after.map(({ answer }) => answer)).toEqual(['', 'It is.'])
})

test('a call that an earlier answer asked about changes there, not in the new answer', () => {
  const asking = { ...newTurn(0, 'Book it'), calls: [call('a', 'awaiting_confirmation')] }
  const items = [call('a', 'done'), call('b', 'running')]
  const after = turnsAfter([asking, newTurn(1, 'Yes')], 1, { type: 'tool_calls', items })
  expect(after.map(({ calls }) => calls.map(({ id, status }) => `${id} ${status}`))).toEqual([
    ['a done'],
    ['b running'],
  ])
})

test('an error ends the turn with its sentence', () => {
  const error = { code: 'model_timeout', message: 'The model did not answer in time.' }
  const [turn] = turnsAfter([newTurn(0, 'Hello')], 0, { type: 'error', error })
  expect(turn).toMatchObject({ status: 'failed', problem: error.message })
})

test('an agent waits for a confirmation only after its answer is complete', () => {
  const turn = { ...newTurn(0, 'Book it'), calls: [call('a', 'awaiting_confirmation')] }
  expect(isAsking(turn)).toBe(false)
  expect(isAsking({ ...turn, status: 'done' })).toBe(true)
  expect(isAsking({ ...turn, status: 'done', calls: [call('a', 'declined')] })).toBe(false)
})
