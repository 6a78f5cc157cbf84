import { expect, test } from 'vitest'
import { agentItems, matching, pageItems } from './palette-items.ts'

test.each([
  ['prov', ['Model providers']],
  ['PROVIDERS model', ['Model providers']],
  ['nowhere', []],
])('%j finds the pages %j', (typed, labels) => {
  expect(matching(pageItems(), typed).map(({ label }) => label)).toEqual(labels)
})

test('without a text, all pages are offered', () => {
  expect(matching(pageItems(), '')).toHaveLength(pageItems().length)
})

test('the pages of the open agent lead to that agent', () => {
  expect(agentItems('shop-1').map(({ link }) => link)).toContainEqual({
    to: '/agents/$appId/knowledge',
    params: { appId: 'shop-1' },
  })
})
