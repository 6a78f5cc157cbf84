import { expect, test } from 'vitest'
import { readConfig } from '#config'
import { createDocumentation } from '#platform/documentation.ts'
import { searchDocumentation } from './index.ts'

const config = readConfig({ BASE_URL: 'http://localhost:3000' })

function search(query: string, limit = 3) {
  return searchDocumentation({ documentation, config }, query, limit)
}

const documentation = createDocumentation()

const pages = [
  { name: 'cats.md', text: '# Cats\n\nThey sleep all day.\n\n## Food\n\nThey eat fish.' },
  { name: 'dogs.md', text: '# Dogs\n\nThey guard the house and eat bones.' },
]

test.each([
  ['How do I continue a conversation?', 'Sessions'],
  ['How do I make a backup?', 'Backup'],
  ['Which variable sets the port?', 'Configuration'],
])('%s is answered from the page %s', async (question, title) => {
  const found = await search(question)
  expect(found.map((passage) => passage.title).join()).toContain(title)
})

test('a passage has its headings, its score and the address of its page', async () => {
  const own = { pages: async () => pages }
  const [best, ...others] = await searchDocumentation({ documentation: own, config }, 'cat food', 5)
  expect(best).toEqual({
    title: 'Cats',
    heading: expect.stringContaining('Food'),
    text: 'They eat fish.',
    url: 'http://localhost:3000/docs/cats.md',
    score: expect.any(Number),
  })
  for (const other of others) expect(other.score).toBeLessThanOrEqual(Number(best?.score))
})

test('unknown words find nothing, and others no more than the limit', async () => {
  expect(await search('xylophone quagmire')).toEqual([])
  expect(await search('the of and')).toEqual([])
  expect(await search('session', 2)).toHaveLength(2)
})

test('pages that could not be read are read the next time', async () => {
  let reads = 0
  const flaky = {
    async pages() {
      reads += 1
      if (reads === 1) throw new Error('the disk is away')
      return pages
    },
  }
  const ctx = { documentation: flaky, config }
  await expect(searchDocumentation(ctx, 'bones', 1)).rejects.toThrow('the disk is away')
  expect(await searchDocumentation(ctx, 'bones', 1)).toHaveLength(1)
  await searchDocumentation(ctx, 'fish', 1)
  expect(reads).toBe(2)
})
