import { expect, test } from 'vitest'
import { addressOf, documentOf } from './starts.ts'

const typed = { name: 'Ada’s shop', description: 'Tea', model: 'openai/gpt', site: ' tea.example ' }

test('a start keeps its instructions and gets the name, the model and the website that were typed', () => {
  const { agent, knowledge } = documentOf({ ...typed, start: 'shop' })
  expect(agent).toMatchObject({ name: 'Ada’s shop', model: 'openai/gpt' })
  expect(agent).toMatchObject({ system_prompt: expect.stringContaining('shop') })
  expect(knowledge).toEqual([
    { kind: 'url', url: 'https://tea.example', crawl_depth: 2, max_pages: 100 },
  ])
})

test('an agent without a start has a description and no instructions', () => {
  const { agent } = documentOf({ ...typed, start: 'blank' })
  expect(agent).toEqual({ name: 'Ada’s shop', model: 'openai/gpt', description: 'Tea' })
})

test.each([
  ['', null],
  ['example.com/help', 'https://example.com/help'],
  ['http://example.com', 'http://example.com'],
])('the address %j is read as %j', (text, address) => {
  expect(addressOf(text)).toBe(address)
})
