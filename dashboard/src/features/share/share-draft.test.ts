import { expect, test } from 'vitest'
import { changedSettings, sharesDraft } from './share-draft.ts'

test('only what an editor changed is saved', () => {
  const saved = { title: '', words: ['a'], limit: 5 }
  expect(changedSettings(saved, { ...saved, words: ['a'] })).toEqual({})
  expect(changedSettings(saved, { ...saved, words: ['a', 'b'], limit: 5 })).toEqual({
    words: ['a', 'b'],
  })
})

test.each([
  ['/agents/tea-1/share/page', '/agents/tea-1/share/look', true],
  ['/agents/tea-1/share/widget', '/agents/tea-1/share/widget', true],
  ['/agents/tea-1/share/page', '/agents/shop-2/share/look', false],
  ['/agents/tea-1/share/page', '/agents/tea-1/share/api', false],
  ['/agents/tea-1/share/page', '/agents', false],
])('from %s to %s, the draft of the chat page is kept: %s', (current, next, isKept) => {
  expect(sharesDraft(current, next)).toBe(isKept)
})
